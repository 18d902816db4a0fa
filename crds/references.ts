// Pieces that both resources use: references (always inside the namespace, SEC-2), headers, URLs, models, icons.
import { choice, flag, integer, object, setOf, text, withRules } from "./fields.ts";

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** A DNS label: lower-case letters, digits and hyphens. */
export const label = (description: string, maxLength = 63) =>
  text(maxLength, description, {
    min: 1,
    pattern: dnsLabel,
    expected: "lower-case letters, digits and hyphens, with a letter or digit at both ends",
  });

export const objectName = (description: string) =>
  text(253, description, { min: 1, pattern: dnsSubdomain, expected: "the name of an object in this namespace" });

const dataKey = (description: string) =>
  text(253, description, {
    min: 1,
    pattern: /^[-._a-zA-Z0-9]+$/,
    expected: "a key: letters, digits, hyphens, underscores and dots",
  });

export const nameRef = (description: string) => object(description, { name: label("Its name.") });

const keyRef = (kind: string) =>
  object(`A key of a ${kind} in the same namespace.`, {
    name: objectName(`Name of the ${kind}.`),
    key: dataKey("Key inside it."),
  });

export const secretSource = object("Where the value is read from.", { secretKeyRef: keyRef("Secret") });
export const configMapSource = object("Where the text is read from.", { configMapKeyRef: keyRef("ConfigMap") });

/** `${NAME}` placeholders are for local mode; in a cluster `plan/` refuses them (CFG-6). */
export const placeholder = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** What is wrong with a Secret that `pallas up` could not fill in: the manifests' judge says it, and the agent that reads it. */
export const renderUnfilled = (secret: string, key: string, variables: readonly string[]): string =>
  `Secret "${secret}": ${key} is left out, since the variable ${variables.join(", ")} is not set; set it, or add it to .env`;

/** Before the name of a variable in which `pallas up` hands an agent what a placeholder stands for (SEC-8). */
export const fillVariablePrefix = "PALLAS_FILL_";

export const url = (description: string) =>
  text(2048, description, {
    min: 1,
    pattern: /^(https?:\/\/|\$\{[A-Za-z_][A-Za-z0-9_]*\})[^ \t\r\n]*$/,
    expected: "an http:// or https:// URL",
  });

export const optionalUrl = (description: string) =>
  text(2048, description, { pattern: /^(https?:\/\/[^ \t\r\n]+)?$/, expected: "an http:// or https:// URL, or empty" });

/** Without placeholders: of what no local mode fills in. */
export const writtenUrl = (description: string) =>
  text(2048, description, {
    min: 1,
    pattern: /^https?:\/\/[^ \t\r\n${}]+$/,
    expected: "an http:// or https:// URL without placeholders",
  });

export const header = withRules(
  object("One HTTP header; its value is given here or in a Secret.", {
    name: text(128, "Name of the header.", {
      min: 1,
      pattern: /^[-A-Za-z0-9_]+$/,
      expected: "a header name: letters, digits, hyphens and underscores",
    }),
    value: text(4096, "Its value, where it is not a secret.", {
      pattern: /^[^\r\n]*$/,
      expected: "one line of text",
    }).exactOptional(),
    valueFrom: secretSource.exactOptional(),
  }),
  {
    cel: "has(self.value) != has(self.valueFrom)",
    message: "exactly one of value and valueFrom is needed",
    holds: (entry) => (entry.value === undefined) !== (entry.valueFrom === undefined),
  },
);

/** How the agent gets a token of its own where one is wanted (OAuth 2.0 client credentials). */
export const ownAuth = object("The agent's own authentication; not together with forwardInboundAuth.", {
  oauth: object("A token by OAuth client credentials, sent as Authorization: Bearer.", {
    tokenUrl: url("The token endpoint; clientSecret is sent there."),
    clientId: text(512, "The client.", {
      min: 1,
      pattern: /^[ -~]+$/,
      expected: "printable ASCII characters",
    }),
    clientSecret: secretSource.meta({ description: "Its secret; always from a Secret of this namespace." }),
    clientAuth: choice(
      ["basic", "post"],
      "How the client shows its secret: HTTP Basic, or in the form. Default basic.",
    ).exactOptional(),
    scopes: setOf(
      text(256, "A scope.", { min: 1, pattern: /^[!#-[\]-~]+$/, expected: "a scope without spaces and quotes" }),
      32,
      "Scopes asked for.",
    ).exactOptional(),
    audience: text(2048, "Audience asked for, where the endpoint wants one.", { min: 1 }).exactOptional(),
    resource: url("Resource asked for (RFC 8707), where the endpoint wants one.").exactOptional(),
  }),
});

/** Keyless providers that every instance has without naming them (CFG-2). */
export const builtInProviders = ["passthrough", "playback", "slow"] as const;
const modelPattern = /^((passthrough|playback|slow)(\.[^ \t\r\n]+)?|[a-z0-9]([-a-z0-9]*[a-z0-9])?\.[^ \t\r\n]+)$/;

/** `provider.model-name`, split at the first dot; a built-in provider stands alone. */
export const model = (description: string) =>
  text(256, description, {
    min: 1,
    pattern: modelPattern,
    expected: "provider.model-name, or passthrough, playback or slow",
  });

export const reasoningContents = ["auto", "keep", "omit"] as const;

export const modelCapabilities = object("What the model can do. Declared, never guessed from a name (CFG-4).", {
  vision: flag("Whether it reads images. Default false.").exactOptional(),
  pdf: flag(
    "Whether it reads PDFs. Default: true where its provider is anthropic, openai, google or bedrock.",
  ).exactOptional(),
  contextWindow: integer(1, 100_000_000, "Tokens it can read. Default 131072.").exactOptional(),
  maxOutputTokens: integer(1, 100_000_000, "Tokens it can write in one turn. Default 16384.").exactOptional(),
  reasoningContent: choice(
    reasoningContents,
    "Whether chat completions send earlier reasoning back: keep (always), omit (never), auto (as its server takes it). Default auto.",
  ).exactOptional(),
});

const uriCharacter = "([-a-zA-Z0-9._~:@!$&'()*,;=/?+]|%[0-9a-fA-F]{2})";
/** What server.json takes for a URI (CAT-7): no user, no bare brackets, percent signs only before two hex digits. */
const uri = new RegExp(`^https?://[a-zA-Z0-9.-]+(:[0-9]{1,5})?([/?]${uriCharacter}*)?(#${uriCharacter}*)?$`);

export const icon = object("An icon that clients show.", {
  src: text(255, "Absolute URL of the picture.", {
    min: 1,
    pattern: uri,
    expected: "an absolute http:// or https:// URL without spaces, with anything but ASCII percent-encoded",
  }),
  mimeType: choice(
    ["image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"],
    "Its media type.",
  ).exactOptional(),
});

/** Names of downstream servers as their users write them: neo4j_cypher, argos. */
export const serverName = (description: string) =>
  withRules(
    text(63, description, {
      min: 1,
      pattern: /^[a-zA-Z0-9][-a-zA-Z0-9_.]*$/,
      expected: "letters, digits, hyphens, underscores and dots, starting with a letter or digit",
    }),
    {
      cel: "!self.contains('__')",
      message: 'must not contain "__", which separates server and tool in the names that models see',
      holds: (value) => !value.includes("__"),
    },
  );
