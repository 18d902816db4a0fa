// Calls through the registry tool and by name (DSC-4), over real HTTP in both eras: what passes through, what a failure comes with, and what
// hostile queries, schemas and servers cost.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { JsonObjectSchema, Progress, ToolEntry } from "../../lib/mcp/table.ts";
import { openDiscoveryScene } from "../testing/discovery-scene.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";
import { summariseArguments } from "./schema-summary.ts";

const patience = { timeout: 10_000 };
const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;

async function openTools(tools: readonly ToolEntry[], spec: object = {}) {
  const scene = await openDiscoveryScene();
  const server = await startMcpServer(tools);
  scene.state.put(remoteServer("work", server.url, spec));
  await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(tools.length);
  return { ...scene, server };
}

const proxied = (tool: string, args: object = {}) => ({
  action: "proxy_call",
  call_as: `mcp__work__${tool}`,
  arguments: args,
});
type Sent = [tool: string, args: Record<string, unknown>];
type Send = (tool: string) => Sent;
const sendBoth: [string, Send][] = [
  ["proxy_call", (tool) => ["registry", proxied(tool)]],
  ["the tool's name", (tool) => [`mcp__work__${tool}`, {}]],
];

describe.each(["2025", "2026"] as const)("DSC-4 calls in the %s era", (era) => {
  it.each(sendBoth)("by %s pass the result on as it is", async (_, send) => {
    const draw: ToolEntry = {
      ...echoTool("draw"),
      call: async () => ({ content: [{ type: "text", text: "a" }, image], structuredContent: { b: [1] } }),
    };
    const { connect } = await openTools([draw]);
    const client = await connect(era, "caller");
    expect(await client.call(...send("draw"))).toEqual({
      content: [{ type: "text", text: "a" }, image],
      structuredContent: { b: [1] },
      isError: false,
    });
  });

  it.each(sendBoth)("by %s pass progress on, and start the timeout anew with it", async (_, send) => {
    const slow: ToolEntry = {
      ...echoTool("slow"),
      async call(_args, { sendProgress }) {
        for (let step = 1; step <= 4; step += 1) {
          await sleep(400);
          await sendProgress?.({ progress: step, total: 4, message: `step ${step}` });
        }
        return { content: [{ type: "text", text: "done" }] };
      },
    };
    // Longer than any step, and shorter than all of them.
    const { connect } = await openTools([slow], { timeout: "1s" });
    const client = await connect(era, "caller");
    const heard: Progress[] = [];
    const answer = await client.call(...send("slow"), { onProgress: (progress) => void heard.push(progress) });
    expect(answer).toMatchObject({ content: [{ text: "done" }] });
    expect(heard).toContainEqual(expect.objectContaining({ progress: 4, total: 4, message: "step 4" }));
  });

  it.each(sendBoth)("by %s end with a sentence when the server says nothing for its timeout", async (_, send) => {
    const silent: ToolEntry = { ...echoTool("silent"), call: () => new Promise(() => undefined) };
    const { connect } = await openTools([silent], { timeout: "1s" });
    const client = await connect(era, "caller");
    const answer = await client.call(...send("silent"));
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain('server \\"work\\"');
  });

  it.each(sendBoth)("by %s pass a cancellation on", async (_, send) => {
    const cancelled = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const endless: ToolEntry = {
      ...echoTool("endless"),
      call: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          started.resolve();
          signal.addEventListener("abort", () => {
            cancelled.resolve();
            reject(new Error("cancelled"));
          });
        }),
    };
    const { connect } = await openTools([endless]);
    const client = await connect(era, "caller");
    const stop = new AbortController();
    const called = client.call(...send("endless"), { signal: stop.signal });
    await started.promise;
    stop.abort();
    await expect(called).rejects.toThrow(/abort/i);
    await cancelled.promise;
  });
});

describe("DSC-4 failures of proxied calls", () => {
  const failing: ToolEntry = {
    ...echoTool("post_message"),
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    call: async () => ({ content: [{ type: "text", text: "no such channel" }], isError: true }),
  };

  it("a tool's own error comes as it is, with similar tools beside it", async () => {
    const { connect } = await openTools([failing, echoTool("post_messages")]);
    const client = await connect("2026", "caller");
    const answer = await client.call("registry", proxied("post_message", { text: "a" }));
    expect(answer).toEqual({
      content: [
        { type: "text", text: "no such channel" },
        { type: "text", text: JSON.stringify({ did_you_mean: ["mcp__work__post_messages"] }) },
      ],
      structuredContent: { did_you_mean: ["mcp__work__post_messages"] },
      isError: true,
    });
    // By its own name it is the tool's answer and nothing else.
    expect(await client.call("work__post_message", { text: "a" })).toEqual({
      content: [{ type: "text", text: "no such channel" }],
      structuredContent: undefined,
      isError: true,
    });
  });

  it("arguments that the schema refuses are named, and reach no server", async () => {
    const { connect, calls } = await openTools([failing]);
    const client = await connect("2026", "caller");
    const { structuredContent } = await client.call("registry", proxied("post_message", { text: 1 }));
    expect(structuredContent).toMatchObject({ error: { type: "invalid", message: expect.stringContaining("text") } });
    expect(calls.size).toBe(0);
  });
});

describe("DSC-1 hostile words", () => {
  it.each([
    ["1 MB", "invoice ".repeat(131_072)],
    ["an emoji", "🦊"],
    ["constructor", "constructor"],
    ["__proto__", "__proto__"],
    ["a lone surrogate", "\ud800"],
  ])("a query of %s is answered at once", async (_, query) => {
    const { act } = await openTools([echoTool("list_invoices"), echoTool("constructor"), echoTool("__proto__")]);
    const startedAt = performance.now();
    const answer = await act("caller", { action: "find_tool", query });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(typeof answer["found"]).toBe("boolean");
  });

  it.each(["", "  \n "])("an empty query is refused: %j", async (query) => {
    const { act } = await openTools([echoTool()]);
    expect(await act("caller", { action: "find_tool", query })).toMatchObject({ error: { type: "invalid" } });
  });

  it("tools called like members of objects are found, described and called", async () => {
    const { act, connect } = await openTools([echoTool("constructor"), echoTool("__proto__")]);
    const client = await connect("2026", "caller");
    for (const tool of ["constructor", "__proto__"]) {
      expect(await act("caller", { action: "get_schema", server: "work", tool })).toMatchObject({ tool });
      expect(await client.call("registry", proxied(tool, { a: 1 }))).toMatchObject({ content: [{ text: '{"a":1}' }] });
    }
  });

  it("32 intents are answered, and 33 refused", async () => {
    const { connect } = await openTools([echoTool("list_invoices")]);
    const client = await connect("2026", "caller");
    const ask = (count: number) =>
      client.call("registry", { action: "find_tools", intents: Array.from({ length: count }, () => "list invoices") });
    expect((await ask(32)).structuredContent?.["results"]).toHaveLength(32);
    expect((await ask(33)).isError).toBe(true);
  });
});

describe("DSC-2 required_args of schemas of strangers", () => {
  const summarise = (schema: object) => summariseArguments(JSON.parse(JSON.stringify({ type: "object", ...schema })));

  it("types as text, by references within the schema and without them", () => {
    const properties = {
      ids: { type: "array", items: { type: "integer" } },
      mode: { enum: ["fast", "slow"] },
      when: { $ref: "#/$defs/when" },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      both: { type: ["string", "null"] },
      one: { const: 1 },
      place: { properties: { x: {} } },
      any: {},
    };
    const $defs = { when: { type: "string", description: "A time." } };
    const { required, optionalCount } = summarise({ properties, $defs, required: Object.keys(properties).slice(0, 7) });
    expect(required.map(({ name, type }) => [name, type])).toEqual([
      ["ids", "integer[]"],
      ["mode", '"fast" | "slow"'],
      ["when", "string"],
      ["either", "string or null"],
      ["both", "string or null"],
      ["one", "1"],
      ["place", "object"],
    ]);
    expect(required[2]?.description).toBe("A time.");
    expect(optionalCount).toBe(1);
  });

  it.each([
    ["in a circle", { $ref: "#/properties/a" }],
    ["elsewhere", { $ref: "https://evil.example.com/schema" }],
    ["to nothing", { $ref: "#/$defs/none" }],
    ["to a member of objects", { $ref: "#/constructor/name" }],
    ["deep inside", { type: "array", items: { type: "array", items: { type: "array", items: { type: "array" } } } }],
  ])("a reference %s is any", (_, a) => {
    expect(summarise({ properties: { a }, required: ["a"] }).required[0]?.type).toMatch(/^any(\[\])*$/);
  });

  it("32 are told and no more, of each so much", () => {
    const names = Array.from({ length: 33 }, (_, at) => `argument${at}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: "string", description: "x".repeat(5_000) }]),
    );
    const { required } = summarise({ properties, required: names });
    expect(required).toHaveLength(32);
    expect(required[0]?.description).toHaveLength(300);
  });

  it.each([{ required: "all" }, { required: [1, null] }, { properties: [] }, { properties: 1, required: ["a"] }])(
    "what is no schema is no fault: %j",
    (schema) => {
      const given: JsonObjectSchema = JSON.parse(JSON.stringify({ type: "object", ...schema }));
      expect(summariseArguments(given).optionalCount).toBe(0);
    },
  );
});

describe("DSC-3 an index that is fed all the time", () => {
  it("a server whose list changes with each look holds up no other", async () => {
    const scene = await openDiscoveryScene();
    let version = 0;
    const changing = await startMcpServer([]);
    changing.table.tools = {
      list: () => Array.from({ length: 500 }, (_, at) => echoTool(`change_${version}_${at}`)),
      find: () => undefined,
    };
    scene.state.put(remoteServer("restless", changing.url));
    await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(500);
    const stop = setInterval(() => {
      version += 1;
      void scene.servers.get("restless")?.check();
    }, 20);
    try {
      const { url } = await startMcpServer([{ ...echoTool("read_graph"), description: "Read the knowledge graph." }]);
      scene.state.put(remoteServer("memory", url));
      await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(501);
      const found = await scene.act("caller", { action: "find_tool", query: "read the knowledge graph" });
      expect(found).toMatchObject({ tool: "read_graph" });
    } finally {
      clearInterval(stop);
    }
    // Once it rests, it is known as it is.
    await scene.servers.get("restless")?.check();
    const misspelt = { action: "proxy_call", call_as: `mcp__restless__change_${version}_499x` };
    await expect
      .poll(async () => (await scene.act("caller", misspelt))["did_you_mean"], patience)
      .toContain(`mcp__restless__change_${version}_499`);
  });
});
