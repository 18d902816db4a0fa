// Resources of downstream servers, read by the model over real connections of both eras.
import { describe, expect, test } from "vitest";
import type { RunServer } from "../../crds/run-config.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask } from "../testing/client.ts";
import { createTestResources } from "../testing/resources.ts";
import { renderTestConfig, renderTestServer } from "../testing/run-config.ts";
import { callTool, createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "../testing/servers.ts";
import { maxListed } from "./resources.ts";

const keep = keepUntilEnd();
const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010806000000", "hex").toString("base64");
const plan = { uri: "file:///plan.md", name: "plan", mimeType: "text/markdown", read: () => ({ text: "# The plan" }) };
const chart = { uri: "file:///chart.png", name: "chart", mimeType: "image/png", read: () => ({ blob: png }) };
const readTool = { read: () => textResult("x") };
type Resources = Parameters<typeof createTestResources>[0];

interface Scene {
  resources?: Resources;
  templates?: boolean;
  only2025?: boolean;
  rules?: Partial<RunServer>;
  maxBytes?: number;
}

/** What the model is shown of one call of read_resource. */
async function read(args: object, scene: Scene = {}) {
  const { resources = [plan, chart], templates = true, only2025 = false, rules, maxBytes = 33_000 } = scene;
  const extension = createTestResources(resources, { templates });
  const argos = await keep(startToolServer(readTool, { extension, only2025 }));
  const models = createScriptedModels([{ toolCalls: [callTool("read_resource", args)] }, { text: "done" }]);
  const limits = { ...renderTestConfig().limits, toolResultBytes: maxBytes };
  const servers = [renderTestServer("argos", argos.url, rules)];
  const agent = await keep(startAgent({ servers, limits }, { models }));
  const { lines } = await ask(agent.mcpUrl, { message: "go" });
  const last = models.requests[1]?.messages.at(-1);
  const shown = last?.role === "tool" ? last.results[0] : undefined;
  const tool = models.requests[0]?.tools.find(({ name }) => name === "read_resource");
  return { shown, lines, asked: extension.asked, tool, agent };
}

describe("resources of downstream servers", () => {
  test.each([false, true])(
    "are read by server and URI, as one call with progress and metrics (2025 era: %s)",
    async (only2025) => {
      const { shown, lines, asked, agent } = await read({ server: "argos", uri: plan.uri }, { only2025 });
      expect(shown).toMatchObject({ text: "# The plan", isError: false });
      expect(asked).toEqual([plan.uri]);
      expect(lines).toContain("argos/resources/read: started");
      expect(lines).toContain("argos/resources/read: completed");
      const metrics = await (await fetch(`${agent.adminUrl}/metrics`)).text();
      expect(metrics).toMatch(/pallas_tool_calls_total\{[^}]*server="argos",operation="resource",outcome="ok"\} 1/);
    },
  );

  test.each([false, true])("are listed with their templates where no URI is given (2025 era: %s)", async (only2025) => {
    const described = { ...chart, description: "Sales\n of  May" };
    const { shown, asked } = await read({ server: "argos" }, { only2025, resources: [plan, described] });
    expect(shown?.text.split("\n").slice(1)).toEqual([
      "file:///plan.md - plan (text/markdown)",
      "file:///chart.png - chart (image/png): Sales of May",
      "note://{id} - notes",
    ]);
    expect(asked).toEqual(["list"]);
  });

  test.each([false, true])(
    "are listed by a server that has never heard of templates (2025 era: %s)",
    async (only2025) => {
      const { shown } = await read({ server: "argos" }, { templates: false, only2025 });
      expect(shown).toMatchObject({ isError: false, text: expect.stringContaining(plan.uri) });
    },
  );

  test.each([
    [maxListed, "note://"],
    [maxListed + 1, "… and 1 more"],
  ])("of %i the list ends with %s", async (count, end) => {
    const resources = Array.from({ length: count - 1 }, (_, at) => ({ ...plan, uri: `f:///${at}` }));
    const { shown } = await read({ server: "argos" }, { resources, maxBytes: 1_000_000 });
    expect(shown?.text.split("\n").at(-1)).toContain(end);
  });

  test("that are images are shown as images are; other bytes are named", async () => {
    const image = await read({ server: "argos", uri: chart.uri });
    expect(image.shown).toMatchObject({ images: [{ data: png, mimeType: "image/png" }] });
    const zip = { ...chart, mimeType: "application/zip" };
    const bytes = await read({ server: "argos", uri: chart.uri }, { resources: [zip] });
    expect(bytes.shown).toMatchObject({ images: [], text: expect.stringContaining("left out") });
  });

  test("are cut at limits.toolResultBytes as every result is", async () => {
    const long = { ...plan, read: () => ({ text: "x".repeat(2_000) }) };
    const { shown } = await read({ server: "argos", uri: plan.uri }, { resources: [long], maxBytes: 1_000 });
    expect(Buffer.byteLength(shown?.text ?? "")).toBe(1_000);
  });

  test("that are not there, or take longer than the server's timeout, are errors of the call", async () => {
    const missing = await read({ server: "argos", uri: "file:///none" });
    expect(missing.shown).toMatchObject({ isError: true, text: expect.stringContaining("There is no file:///none") });
    const silent = { ...plan, read: () => new Promise<never>(() => undefined) };
    const late = await read({ server: "argos", uri: plan.uri }, { resources: [silent], rules: { timeoutMs: 50 } });
    expect(late.shown).toMatchObject({ isError: true, text: expect.stringContaining("was silent for 50 ms") });
  });

  test("have URIs of any characters", async () => {
    const odd = { ...plan, uri: "file:///plän/日本 語.md" };
    const { shown } = await read({ server: "argos", uri: odd.uri }, { resources: [odd] });
    expect(shown).toMatchObject({ text: "# The plan", isError: false });
  });
});

describe("the tool read_resource", () => {
  test("names the servers that have resources, and takes no other", async () => {
    const { tool, shown, asked } = await read({ server: "bank", uri: plan.uri });
    expect(tool?.inputSchema).toMatchObject({ properties: { server: { enum: ["argos"] } }, required: ["server"] });
    expect(shown).toMatchObject({ isError: true, text: expect.stringContaining("do not fit its schema") });
    expect(asked).toEqual([]);
  });

  test.each([
    ["a list of allowed tools without it", { allow: ["read"] }, false],
    ["a list that has it", { allow: ["read", "resources/read"] }, true],
    ["a denial of it", { deny: ["resources/*"] }, false],
    ["a denial of something else", { deny: ["write_*"] }, true],
  ])("obeys the agent's rules: %s", async (_rule, rules, offered) => {
    const { tool, shown, asked } = await read({ server: "argos", uri: plan.uri }, { rules });
    expect(tool !== undefined).toBe(offered);
    expect(shown?.isError).toBe(!offered);
    expect(asked).toEqual(offered ? [plan.uri] : []);
  });

  test("is not there where no server has resources", async () => {
    const argos = await keep(startToolServer(readTool));
    const models = createScriptedModels([{ text: "done" }]);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }, { models }));
    await ask(agent.mcpUrl, { message: "go" });
    expect(models.requests[0]?.tools.map(({ name }) => name)).toEqual(["argos__read"]);
  });
});

describe("a link to a resource in a tool's result", () => {
  const link = { type: "resource_link" as const, uri: "file:///plan.md", name: "plan", mimeType: "text/markdown" };

  async function findPlan(extension?: ReturnType<typeof createTestResources>) {
    const find = () => ({ content: [link] });
    const argos = await keep(startToolServer({ find }, extension === undefined ? {} : { extension }));
    const models = createScriptedModels([{ toolCalls: [callTool("argos__find")] }, { text: "done" }]);
    const agent = await keep(startAgent({ servers: [renderTestServer("argos", argos.url)] }, { models }));
    await ask(agent.mcpUrl, { message: "go" });
    const last = models.requests[1]?.messages.at(-1);
    return last?.role === "tool" ? last.results[0]?.text : undefined;
  }

  test("says how it is read, and is not followed by itself", async () => {
    const resources = createTestResources([plan]);
    expect(await findPlan(resources)).toBe(
      '[resource plan (text/markdown): file:///plan.md; to read it call read_resource with server "argos"]',
    );
    expect(resources.asked).toEqual([]);
  });

  test("of a server without resources is but named", async () => {
    expect(await findPlan()).toBe("[resource plan (text/markdown): file:///plan.md]");
  });
});
