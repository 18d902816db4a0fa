// The chart's admission policy on tool servers: whoever decides what is given a Secret must be allowed to read it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import {
  applyAs,
  header,
  most,
  namespace,
  secretKeyRef,
  startGuardedServer,
  untilRefused,
  upTo,
  type Author,
} from "./guarded-server.ts";
import { chartProgramsMissing } from "./programs.ts";

const toolServer = (name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasServer",
  metadata: { name, namespace },
  spec: { instanceRef: { name: "home" }, ...spec },
});
const memory = { kind: "npm", name: "@modelcontextprotocol/server-memory", version: "1.0.0" };
const variable = (secret: number) => ({ name: `V${secret}`, valueFrom: secretKeyRef(secret) });
const image = (name: string, ...args: string[]) => ({ image: `tools.example/${name}`, command: ["/server"], args });
const remote = (url: string, secret: number) => ({ url, headers: [header(0, secret)] });
/** What is given a Secret: before and after. */
const given: [string, string, object, object][] = [
  ["another version", "version", { package: memory }, { package: { ...memory, version: "2.0.0" } }],
  ["other arguments", "arguments", { container: image("a:1") }, { container: image("a:1", "--print-environment") }],
  ["another image", "image", { container: image("a:1") }, { container: image("a:2") }],
  ["another kind", "kind", { package: memory }, { container: image("a:1") }],
  [
    "another variable",
    "variable",
    { package: memory },
    { package: memory, env: [variable(0), { name: "NODE_OPTIONS", value: "--import=data:text/javascript,1" }] },
  ],
  ["another destination", "egress", { package: memory }, { package: memory, egress: [{ host: "elsewhere.example" }] }],
];

describe.skipIf(clusterMissing() !== undefined || (await chartProgramsMissing()))(
  "SEC-2 Secrets of a tool server",
  () => {
    let api: ApiServer;
    const as = (author: Author, manifest: object) => applyAs(api, author, manifest);

    beforeAll(async () => {
      api = await startGuardedServer();
      await untilRefused(api, toolServer("probe", { package: memory, env: [variable(0)] }), "s0");
    });
    afterAll(() => api?.stop());

    it("are given it only by those who read them", async () => {
      const refused = 'spec gives the server the Secret "s50", which some may not read; grant them "get" on it';
      const env = [variable(0), variable(50)];
      await expect(as("some", toolServer("keys", { package: memory, env }))).rejects.toThrow(refused);
      await expect(as("some", toolServer("keys", { remote: remote("https://mcp.example/mcp", 50) }))).rejects.toThrow(
        refused,
      );
      expect(await as("all", toolServer("keys", { package: memory, env }))).toContain("serverside-applied");
      expect(await as("none", toolServer("plain", { package: memory }))).toContain("serverside-applied");
    });

    it.each(given)(
      "stay with what they were given to, but for those who read them: %s",
      async (_what, name, before, after) => {
        const env = [variable(0)];
        expect(await as("some", toolServer(name, { env, ...before }))).toContain("serverside-applied");
        await expect(as("none", toolServer(name, { env, ...after }))).rejects.toThrow('"s0", which none may not read');
        const rest = { title: "Kept", active: false, timeout: "5s", tools: { deny: ["x"] } };
        expect(await as("none", toolServer(name, { env, ...before, ...rest }))).toContain("serverside-applied");
        expect(await as("some", toolServer(name, { env, ...after }))).toContain("serverside-applied");
      },
    );

    it("go to another URL only by the hand of who reads them", async () => {
      expect(await as("some", toolServer("moved", { remote: remote("https://a.example/mcp", 3) }))).toContain(
        "serverside-applied",
      );
      await expect(as("none", toolServer("moved", { remote: remote("https://b.example/mcp", 3) }))).rejects.toThrow(
        '"s3"',
      );
    });

    it(`may be ${most}, and one more is refused with a way out`, async () => {
      const withSecrets = (count: number) =>
        toolServer(`many-${count}`, { package: memory, env: upTo(count).map(variable) });
      expect(await as("some", withSecrets(most))).toContain("serverside-applied");
      await expect(as("some", withSecrets(most + 1))).rejects.toThrow("put their keys into fewer");
      expect(await as("all", withSecrets(64))).toContain("serverside-applied");
      expect(await as("all", withSecrets(most + 1))).toContain("serverside-applied");
    });
  },
);
