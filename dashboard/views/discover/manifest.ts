// The PallasServer that installing writes, as YAML that can be kept with the others and applied by hand. Values of secrets are not in it: each is
// named in a Secret of the namespace. Pure.
import { apiVersion } from "../../../crds/names.ts";
import type { Offer, Published } from "./published.ts";

interface ManifestOf {
  readonly published: Published;
  readonly offer: Offer;
  readonly name: string;
  readonly instance: string;
  /** Values of variables that are no secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Manifests of this machine start with the others; what the gateway writes is started by nobody yet. */
  readonly isLocal: boolean;
}

type Yaml = string | boolean | readonly Yaml[] | { readonly [key: string]: Yaml | undefined };

export const secretNameOf = (server: string): string => `${server}-keys`;

export function renderManifest(asked: ManifestOf): string {
  const { published, offer, name, instance, isLocal } = asked;
  const env = renderEnv(asked);
  const { title, description, tags } = published;
  const spec: Yaml = {
    instanceRef: { name: instance },
    title,
    description: description ?? undefined,
    ...(tags.length > 0 && { tags }),
    ...(!isLocal && { active: false, listed: false }),
    ...renderSource(asked),
    ...(env.length > 0 && { env }),
  };
  const manifest: Yaml = { apiVersion, kind: "PallasServer", metadata: { name }, spec };
  return `${[...offerNotes(offer), ...renderMap(manifest)].join("\n")}\n`;
}

/** What it wants as arguments and nobody gave stands above, since nothing of it can be made up. */
const offerNotes = ({ missing_args: missing }: Offer): string[] =>
  missing.length === 0 ? [] : [`# It wants as arguments: ${missing.join(", ").replaceAll(/\s+/g, " ")}`];

function renderSource({ offer, name, args }: ManifestOf): { [key: string]: Yaml } {
  if (offer.runtime === "streamable-http" || offer.runtime === "sse") {
    const headers = offer.headers
      .filter(({ required, secret }) => required || secret)
      .map((header) => ({ name: header.name, valueFrom: fromSecret(name, header.name) }));
    return { remote: { url: offer.name, ...(headers.length > 0 && { headers }) } };
  }
  if (offer.runtime === "docker") return { container: { image: offer.name } };
  const own = argumentsOf(offer);
  const all = [...own, ...args];
  return {
    package: {
      kind: offer.runtime === "node" ? "npm" : "pypi",
      name: offer.name,
      version: offer.version ?? undefined,
      ...(all.length > 0 && { args: all }),
    },
  };
}

/** What stands behind the package in its command. */
function argumentsOf({ args, name }: Offer): readonly string[] {
  const at = args.findIndex((each) => each === name || each.startsWith(`${name}@`) || each.startsWith(`${name}==`));
  return at === -1 ? [] : args.slice(at + 1);
}

function renderEnv({ offer, name, env }: ManifestOf): Yaml[] {
  return offer.env.flatMap((variable): Yaml[] => {
    if (variable.secret) return [{ name: variable.name, valueFrom: fromSecret(name, variable.name) }];
    const value = env[variable.name];
    return value === undefined || value === "" ? [] : [{ name: variable.name, value }];
  });
}

const fromSecret = (server: string, key: string): Yaml => ({ secretKeyRef: { name: secretNameOf(server), key } });

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value);

function renderMap(map: { readonly [key: string]: Yaml | undefined }): string[] {
  return Object.entries(map).flatMap(([key, value]): string[] => {
    if (value === undefined) return [];
    if (typeof value !== "object") return [`${renderText(key)}: ${renderScalar(value)}`];
    const lines = isList(value) ? value.flatMap(renderItem) : renderMap(value);
    return [`${renderText(key)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function renderItem(item: Yaml): string[] {
  if (typeof item !== "object") return [`- ${renderScalar(item)}`];
  const lines = isList(item) ? item.flatMap(renderItem) : renderMap(item);
  return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`));
}

const renderScalar = (value: string | boolean): string =>
  typeof value === "string" ? renderText(value) : String(value);

/** Words that YAML takes for something else. */
const taken = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
/** Control and other characters that YAML does not print. */
const unprinted = /[\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/g;

/** Plain where that can be read as nothing else; else in double quotes, whose escapes YAML has from JSON. */
function renderText(text: string): string {
  if (/^[A-Za-z][\w./-]*( [\w./-]+)*$/.test(text) && !taken.test(text)) return text;
  return JSON.stringify(text).replaceAll(unprinted, escape);
}

/** A pair of surrogates is one character, and printed; what is unprinted beyond is escaped as JSON would. */
function escape(character: string, at: number, whole: string): string {
  const code = character.charCodeAt(0);
  const isHigh = code >= 0xd8_00 && code < 0xdc_00;
  const isLow = code >= 0xdc_00 && code <= 0xdf_ff;
  const isPair =
    (isHigh && /[\udc00-\udfff]/.test(whole.charAt(at + 1))) || (isLow && /[\ud800-\udbff]/.test(whole.charAt(at - 1)));
  return isPair ? character : `\\u${code.toString(16).padStart(4, "0")}`;
}
