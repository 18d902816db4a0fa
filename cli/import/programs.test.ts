import { loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { dump } from "js-yaml";
import { importTexts, withArguments, type ProjectTexts } from "./testing/projects.ts";

const manifest = z.object({ metadata: z.object({ name: z.string() }), spec: z.record(z.string(), z.unknown()) });

/** A project whose one agent uses these servers. */
const withServers = (servers: Record<string, object>, others: ProjectTexts = {}): ProjectTexts =>
  withArguments(`instruction="A", servers=${JSON.stringify(Object.keys(servers))}`, {
    "fastagent.config.yaml": dump({ default_model: "passthrough", mcp: { servers } }),
    ...others,
  });

async function importServers(servers: Record<string, object>, others?: ProjectTexts) {
  const { code, files, said } = await importTexts(withServers(servers, others));
  const resources = loadAll(files["servers.yaml"] ?? "").map((document) => manifest.parse(document));
  return { code, files, said, resources };
}

describe("CLI-3 a server that is started as a program becomes a PallasServer", () => {
  const npm = (name: string, rest: object = {}) => ({ package: { kind: "npm", name, ...rest } });
  const pypi = (name: string, rest: object = {}) => ({ package: { kind: "pypi", name, ...rest } });
  test.each<[string, object]>([
    ["npx -y @scope/memory", npm("@scope/memory")],
    ["npx --yes memory@1.2.3 --flag x", npm("memory", { version: "1.2.3", args: ["--flag", "x"] })],
    ["npx memory@latest", npm("memory")],
    ["npx -y -p tools@2 memory stdio", npm("tools", { version: "2", command: "memory", args: ["stdio"] })],
    ["npx --package=tools memory", npm("tools", { command: "memory" })],
    ["uvx mcp-server-time --local-timezone UTC", pypi("mcp-server-time", { args: ["--local-timezone", "UTC"] })],
    ["uvx mcp-server-time==1.0", pypi("mcp-server-time", { version: "1.0" })],
    ["uvx mcp-server-time@1.0", pypi("mcp-server-time", { version: "1.0" })],
    ["uvx --from tools==2 time", pypi("tools", { version: "2", command: "time" })],
    ["uv tool run mcp-server-git", pypi("mcp-server-git")],
  ])("%s: a package", async (line, expected) => {
    const [command, ...args] = line.split(" ");
    const { code, resources } = await importServers({ memory: { command, args } });
    expect(code).toBe(0);
    const { instanceRef, ...spec } = resources[0]?.spec ?? {};
    expect(spec).toEqual(expected);
    expect(instanceRef).toEqual({ name: "p" });
  });

  test.each([
    "python server.py",
    "npx -c something",
    "npx",
    "npx --registry x memory",
    "uvx --from git+https://a.example/b c",
    "uvx --python 3.12 time",
    "uv run server.py",
    "docker run -i --rm image",
  ])("%s: a program beside the project's own folder", async (line) => {
    const [command, ...args] = line.split(" ");
    const { code, resources } = await importServers({ memory: { command, args, cwd: "tools" } });
    expect(code).toBe(0);
    expect(resources[0]?.spec["local"]).toEqual({ command, ...(args.length > 0 && { args }), cwd: "../tools" });
  });

  test("with its timeout, and with variables: what may be a key from the Secret, others as they are", async () => {
    const server = {
      command: "npx",
      args: ["memory@1"],
      read_timeout_seconds: 90,
      env: { MODE: "rw", API_KEY: "in-the-open-4711", DSN: "postgres://u:p@db/x", HOST: "${HOST}", LEVEL: 3 },
    };
    const secrets = "mcp: { servers: { memory: { env: { PLAIN: hidden-4712 } } } }\n";
    const { resources, files, said } = await importServers({ memory: server }, { "fastagent.secrets.yaml": secrets });
    const ref = (key: string) => ({ valueFrom: { secretKeyRef: { name: "p-keys", key } } });
    expect(resources[0]?.spec).toMatchObject({
      timeout: "90s",
      env: [
        { name: "MODE", value: "rw" },
        { name: "API_KEY", ...ref("memory.api_key") },
        { name: "DSN", ...ref("memory.dsn") },
        { name: "HOST", ...ref("memory.host") },
        { name: "LEVEL", value: "3" },
        { name: "PLAIN", ...ref("memory.plain") },
      ],
    });
    const everything = JSON.stringify([files, said]);
    for (const value of ["4711", "4712", "u:p@"]) expect(everything).not.toContain(value);
    expect(files[".env.example"]).toContain("API_KEY=\n");
  });

  test("under a name that Kubernetes takes, and agents find it by its own", async () => {
    const one = { command: "npx", args: ["a@1"] };
    const { resources, files } = await importServers({ My_Tools: one, "my-tools": one, ok: one });
    const names = resources.map(({ metadata, spec }) => [metadata.name, spec["serverName"]]);
    expect(names).toEqual([
      ["my-tools", "My_Tools"],
      ["my-tools-2", "my-tools"],
      ["ok", undefined],
    ]);
    expect(files["agents.yaml"]).toMatch(/servers:\n +- name: My_Tools\n +- name: my-tools\n +- name: ok\n/);
  });

  test("and the last lines say how it is started", async () => {
    const { said } = await importServers({ ok: { command: "npx", args: ["a@1"] } });
    expect(said.join("\n")).toMatch(
      /instance "p", 1 tool server and 1 agent in instance.yaml, agents.yaml, servers.yaml/,
    );
    expect(said.join("\n")).toContain("pallas up -f pallas --trust");
  });
});
