// Random projects: none makes the command fail by itself, and no secret comes out of any, wherever it stands.
import * as fc from "fast-check";
import { dump } from "js-yaml";
import { expect, test } from "vitest";
import { importTexts, type ProjectTexts } from "./testing/projects.ts";

/** Twenty letters and digits or more, so that it is known again in whatever comes out. */
const secret = "s3cr3t9f8e7d6c5b4a32100";

const words = [
  ...["mcp", "servers", "url", "headers", "Authorization", "transport", "http", "auth", "access_token", "api_key"],
  ...["base_url", "openai", "anthropic", "generic", "default_model", "model_capabilities", "vision", "logger", "level"],
  ...["agents", "jarvis", "module", "agents.jarvis", "port", "depends_on", "name", "host", "namespace", "otel"],
  ...["model_references", "command", "args", "env", "default_headers", "region", "passthrough", "openai.x", "*", "<<"],
];
const scalar = fc.oneof(
  fc.constantFrom<string | number | boolean | null>(...words, 8201, -1, 1.5, true, false, null),
  fc.string({ maxLength: 8, unit: "binary" }),
);
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), tie("node"), { maxKeys: 6 }),
  ),
})).node;

/** A secret as it may be written: alone, in a scheme, in a URL, beside a placeholder. */
const secretText = fc.constantFrom(
  ...[secret, `Bearer ${secret}`, `https://a.example/mcp?token=${secret}`, `https://u:${secret}@a.example/mcp`],
  ...[`https://a.example/${secret}/mcp`, `\${X:${secret}}`, `\${X}${secret}`, `*${secret}`],
);
const secretTree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    secretText,
    fc.array(tie("node"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...words), tie("node"), { maxKeys: 6 }),
  ),
})).node;

/** Settings that are nearly right, with secrets where people put them. */
const server = fc.record(
  {
    transport: fc.constantFrom("http", "streamable_http", "sse", "stdio"),
    url: fc.oneof({ weight: 3, arbitrary: fc.constant("https://a.example/mcp") }, secretText, scalar),
    headers: fc.dictionary(fc.constantFrom("Authorization", "X-Key", "Accept", "a b"), secretText, { maxKeys: 3 }),
    access_token: secretText,
    forward_inbound_auth: fc.boolean(),
    args: fc.array(secretText, { maxLength: 2 }),
    env: fc.dictionary(fc.constantFrom(...words), secretText, { maxKeys: 2 }),
    auth: secretTree,
  },
  { requiredKeys: [] },
);
const provider = fc.record(
  { api_key: secretText, base_url: secretText, default_headers: fc.dictionary(fc.constant("X-Key"), secretText) },
  { requiredKeys: [] },
);
const sections = {
  mcp: fc.record({ servers: fc.dictionary(fc.constantFrom("argos", "neo4j", "a b"), server, { maxKeys: 3 }) }),
  openai: provider,
  generic: provider,
  logger: tree,
};
const models = fc.constantFrom("passthrough", "openai.x", "generic.y", "sonnet");
const settings = fc.record({ default_model: models, ...sections }, { requiredKeys: ["default_model"] });
const topology = fc.record({
  name: fc.constantFrom("p", "My Project"),
  agents: fc.dictionary(
    fc.constantFrom("jarvis", "tech_research"),
    fc.record({ module: fc.constantFrom("agents.jarvis", "agents.gone"), title: scalar }, { requiredKeys: [] }),
    { minKeys: 1 },
  ),
});

const pythonWords = [
  "@fast.agent(",
  ")",
  '"',
  "(",
  "[",
  "\n",
  "name=",
  "x",
  "=",
  "f'{",
  "}",
  "*",
  "async def f(): pass\n",
];
const python = fc.oneof(
  fc.constant('@fast.agent("jarvis", "Be brief.", servers=["argos", "neo4j"])\nasync def f(): pass\n'),
  fc.array(fc.constantFrom(...pythonWords), { maxLength: 40 }).map((parts) => parts.join("")),
);

const projects = fc
  .record({
    topology: fc.oneof({ weight: 3, arbitrary: topology }, { weight: 1, arbitrary: tree }),
    settings: fc.oneof({ weight: 3, arbitrary: settings }, { weight: 1, arbitrary: tree }),
    secrets: fc.oneof(fc.record(sections, { requiredKeys: [] }), secretTree),
    variables: fc.subarray(["X", "TOKEN", "OPENAI_API_KEY", "OPENAI_BASE_URL"]),
    python,
    broken: fc.option(secretText, { freq: 10 }),
  })
  .map((parts): ProjectTexts => ({
    "agents.yaml": dump(parts.topology),
    "fastagent.config.yaml": dump(parts.settings),
    "fastagent.secrets.yaml": parts.broken === null ? dump(parts.secrets) : `openai: { api_key: ${parts.broken} }\n`,
    ".env": parts.variables.map((name) => `${name}=${secret}\n`).join(""),
    "agents/jarvis.py": parts.python,
  }));

test(
  "CLI-3 of 300 random projects each ends in manifests or problems, and none shows a secret",
  { timeout: 120_000 },
  async () => {
    let written = 0;
    let referring = 0;
    await fc.assert(
      fc.asyncProperty(projects, async (project) => {
        const { code, said, files } = await importTexts(project);
        written += code === 0 ? 1 : 0;
        referring += files["local/secrets.yaml"] === undefined ? 0 : 1;
        expect(Object.keys(files).length > 0).toBe(code === 0);
        expect(said.join("\n")).not.toContain(secret);
        expect(JSON.stringify(files)).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
    // Else nothing would have been looked at.
    expect(written).toBeGreaterThan(100);
    expect(referring).toBeGreaterThan(50);
  },
);
