// What the directory takes at most, and what it makes of bodies that somebody sends to do harm.
import { describe, expect, it } from "vitest";
import { maxCardBytes } from "../../crds/registration.ts";
import { maxCardDescriptors } from "./card.ts";
import { maxCardsChars, maxRegistrations } from "./directory.ts";
import { maxStoredBytes, renderManifest } from "./manifest.ts";
import { maxBodyBytes } from "./read-body.ts";
import { agent, card, endpoint } from "./testing/bodies.ts";
import { createTestDirectory } from "./testing/directory.ts";

describe("DIR-4 limits of cards", { timeout: 60_000 }, () => {
  const tools = (count: number) => Array.from({ length: count }, (_, number) => ({ name: `t${number}` }));

  it(`are ${maxCardDescriptors} tools, resources and prompts`, async () => {
    const { json } = createTestDirectory();
    const { id } = await json("POST", "/mcp/servers", {
      serverCard: card({ tools: tools(maxCardDescriptors - 1), prompts: tools(1) }),
    });
    expect((await json("GET", `/agents/${id}`)).capabilities).toHaveLength(maxCardDescriptors);
    const answer = await json(
      "POST",
      "/mcp/servers",
      { serverCard: card({ tools: tools(maxCardDescriptors), prompts: tools(1) }) },
      { status: 413 },
    );
    expect(answer.message).toBe(
      "serverCard has 10001 tools, resources and prompts, more than the 10000 of a card: leave some out",
    );
  });

  it(`are ${maxCardBytes} bytes as UTF-8`, async () => {
    const { json } = createTestDirectory();
    const bodyOf = (bytes: number) => {
      const without = JSON.stringify(card({ instructions: "" }));
      const filler = "ü"
        .repeat((bytes - Buffer.byteLength(without)) >> 1)
        .padEnd(bytes - Buffer.byteLength(without) - ((bytes - Buffer.byteLength(without)) >> 1), "x");
      return { serverCard: card({ instructions: filler }) };
    };
    expect(Buffer.byteLength(JSON.stringify(bodyOf(maxCardBytes).serverCard))).toBe(maxCardBytes);
    await json("POST", "/mcp/servers", bodyOf(maxCardBytes));
    expect((await json("POST", "/mcp/servers", bodyOf(maxCardBytes + 1), { status: 413 })).message).toMatch(
      /^serverCard has 524289 bytes/,
    );
  });

  it(`are ${maxStoredBytes} bytes as the cluster keeps it`, async () => {
    const { json } = createTestDirectory();
    const answer = await json(
      "POST",
      "/mcp/servers",
      { serverCard: card({ instructions: "<".repeat(400_000) }) },
      { status: 413 },
    );
    expect(answer.message).toMatch(/^the registration takes \d+ bytes where it is kept, more than 1048576/);
    const spec = {
      instanceRef: { name: "i" },
      owner: "o",
      name: "n",
      registeredAt: "2026-01-01T00:00:00Z",
      updatedAt: "2026-01-01T00:00:00Z",
    };
    const place = { namespace: "a", name: "b" };
    const withCard = (chars: number) => renderManifest(place, { ...spec, card: "&".repeat(chars) });
    const emptyBytes = Buffer.byteLength(JSON.stringify(withCard(0)));
    const most = Math.floor((maxStoredBytes - emptyBytes) / 6);
    expect(withCard(most).spec.card).toHaveLength(most);
    expect(() => withCard(most + 1)).toThrow(/shorten what it says/);
  });

  it("are, of all together, what the directory can hold", async () => {
    const { store, json } = createTestDirectory();
    await json("POST", "/mcp/servers", { serverCard: card() });
    const [first] = store.list();
    if (first === undefined) throw new Error("expected a registration");
    const fill = (chars: number) => {
      const other = {
        ...first,
        metadata: { ...first.metadata, name: "other" },
        spec: { ...first.spec, name: "Other", card: `${first.spec.card}${" ".repeat(chars)}` },
      };
      store.set([first, other]);
    };
    const chars = first.spec.card?.length ?? 0;
    const added = JSON.stringify(card({ x: 1 })).length - JSON.stringify(card()).length;
    fill(maxCardsChars - 2 * chars - added);
    await json("POST", "/mcp/servers", { serverCard: card({ x: 1 }) });
    fill(maxCardsChars - 2 * chars - added + 1);
    expect(await json("POST", "/mcp/servers", { serverCard: card({ x: 2 }) }, { status: 507 })).toMatchObject({
      error: "directory_full",
    });
  });

  it("are, of registrations, as many as the directory can hold", async () => {
    const { store, json } = createTestDirectory();
    await json("POST", "/agents", agent());
    const [first] = store.list();
    if (first === undefined) throw new Error("expected a registration");
    const others = (count: number) =>
      Array.from({ length: count }, (_, number) => ({
        ...first,
        metadata: { ...first.metadata, name: `o${number}` },
        spec: { ...first.spec, name: `Other ${number}` },
      }));
    store.set([first, ...others(maxRegistrations - 1)]);
    expect(await json("POST", "/agents", agent({ name: "One more" }), { status: 507 })).toMatchObject({
      ...{ error: "directory_full", message: expect.stringMatching(/holds 10000 registrations/) },
    });
    await json("POST", "/agents", agent({ description: "changed" }));
    store.set([first, ...others(maxRegistrations - 2)]);
    await json("POST", "/agents", agent({ name: "One more" }), { status: 201 });
  });
});

describe("DIR-4 a card as nobody would write it", () => {
  const odd = (member: string) =>
    `{"serverInfo":{"name":"Odd"},${member},"endpoints":{"streamableHttp":"https://a.example/mcp"}}`;
  it.each([
    [
      "numbers that no program holds",
      '"a":[1e400,-0,1.0,1E+2,12345678901234567890,0.1000000000000000055511151231257827]',
    ],
    ["keys of every object", '"__proto__":{"__proto__":1},"constructor":{},"toString":1'],
    ["keys like integers, in no order", '"2":1,"10":2,"1":3'],
    ["a key twice", '"a":1,"a":{"a":2,"a":3}'],
    ["escapes of plain letters and of none", String.raw`"\u0061":"\u001b[2J\u0000\/é\u00e9"`],
    ["spaces and lines", ' "a" :\r\n\t[ ] '],
  ])("comes back byte for byte: %s", async (_what, member) => {
    const { ask } = createTestDirectory();
    const posted = await ask("POST", "/mcp/servers", `{"serverCard":${odd(member)}}`);
    const text = await posted.text();
    expect(posted.status, text).toBe(201);
    const { id } = JSON.parse(text);
    expect(text).toBe(odd(member).replace(/\}$/, `,"id":"${id}","isLive":true}`));
    expect(await (await ask("GET", `/mcp/servers/${id}`)).text()).toBe(text);
    expect(await (await ask("GET", "/mcp/servers")).text()).toContain(`{"items":[${text}],`);
  });
});

describe("SEC-6 hostile bodies", () => {
  it.each([
    ["no JSON", "{", 400, /not valid JSON/],
    ["half a character", '{"name":"\\ud800"}', 422, /^name: must be whole characters/],
    ["a list", "[]", 400, /one JSON object/],
    ["null", "null", 400, /one JSON object/],
    ["deep nesting", `{"a":${"[".repeat(300)}${"]".repeat(300)}}`, 400, /nested more than 200 deep/],
    ["many small parts", `{"a":[${"{},".repeat(120_000)}{}]}`, 400, /structural characters/],
    ["an unknown field", '{"name":"a","ttl":1}', 422, /ttl/],
    ["a key of every object", '{"name":"a","__proto__":{"x":1},"constructor":1}', 422, /constructor/],
    ["control characters", String.raw`{"name":"a\u001b[2J"}`, 422, /^name: must be one line of text/],
    ["a name of no characters", '{"name":""}', 422, /^name: /],
    ["a name of 257 characters", `{"name":"${"x".repeat(257)}"}`, 422, /^name: must have at most 256/],
    ["a number for a text", '{"name":1}', 422, /^name: /],
    ["a label that is no text", '{"name":"a","labels":{"b":1}}', 422, /^labels\.b: /],
    [
      "an unknown word",
      JSON.stringify(agent({ endpoints: [endpoint({ protocol: "SOAP" })] })),
      422,
      /^endpoints\[0\]\.protocol: must be one of Unknown, A2A, MCP, ACP/,
    ],
    [
      "a number past the words",
      JSON.stringify(agent({ endpoints: [endpoint({ protocol: 4 })] })),
      422,
      /^endpoints\[0\]\.protocol: /,
    ],
    [
      "a time to live of 0",
      JSON.stringify(
        agent({ endpoints: [endpoint({ livenessModel: "Ephemeral", heartbeatIntervalSeconds: null, ttlSeconds: 0 })] }),
      ),
      422,
      /^endpoints\[0\]\.ttlSeconds: /,
    ],
    [
      "the other model's time",
      JSON.stringify(agent({ endpoints: [endpoint({ ttlSeconds: 5 })] })),
      422,
      /is of Ephemeral endpoints/,
    ],
  ])("%s is refused in a sentence", async (_what, body, status, message) => {
    const { json, store } = createTestDirectory();
    const answer = await json("POST", "/agents", body, { status });
    expect(answer.message).toMatch(message);
    expect(store.writes()).toBe(0);
  });

  it(`${maxBodyBytes} bytes are read, and one more is not`, async () => {
    const { json } = createTestDirectory();
    const body = JSON.stringify(agent());
    await json("POST", "/agents", body.padEnd(maxBodyBytes));
    const refused = await json("POST", "/agents", body.padEnd(maxBodyBytes + 1), { status: 413 });
    expect(refused.message).toBe(`the body is over the limit of ${maxBodyBytes} bytes`);
  });

  it.each([
    ["no card", "{}"],
    ["a list as card", '{"serverCard":[]}'],
    ["a text as card", '{"serverCard":"{}"}'],
    ["an empty card", '{"serverCard":{}}'],
    ["a card without a name", '{"serverCard":{"endpoints":{"streamableHttp":"https://a.example/mcp"}}}'],
    [
      "a card with control sequences in its name",
      JSON.stringify({ serverCard: card({ serverInfo: { name: "\u001b[2J" } }) }),
    ],
    ["a card whose tools are no list", JSON.stringify({ serverCard: card({ tools: {} }) })],
    [
      "a card whose URL is none",
      JSON.stringify({ serverCard: card({ endpoints: { streamableHttp: "javascript:1" } }) }),
    ],
  ])("%s is 422 and names what is missing", async (_what, body) => {
    const { json, store } = createTestDirectory();
    expect((await json("POST", "/mcp/servers", body, { status: 422 })).message).toMatch(/^serverCard/);
    expect(store.writes()).toBe(0);
  });

  it("an MCP server of another transport that somebody wrote by hand has no card", async () => {
    const { ask, json, store } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent({ endpoints: [endpoint({ protocol: "MCP" })] }));
    expect((await ask("GET", `/mcp/servers/${id}`)).status).toBe(200);
    const [first] = store.list();
    if (first === undefined) throw new Error("expected a registration");
    const endpoints = first.spec.endpoints?.map((each) => ({ ...each, transport: "Grpc" as const }));
    store.set([{ ...first, spec: { ...first.spec, ...(endpoints && { endpoints }) } }]);
    expect((await ask("GET", `/mcp/servers/${id}`)).status).toBe(404);
    expect(await json("GET", "/mcp/servers")).toMatchObject({ items: [], totalCount: 0 });
  });

  it("a registration that somebody wrote by hand and nobody can read is left out, and the log says so once", async () => {
    const { json, store, logs } = createTestDirectory();
    await json("POST", "/agents", agent());
    const [first] = store.list();
    if (first === undefined) throw new Error("expected a registration");
    store.set([
      first,
      { ...first, metadata: { ...first.metadata, name: "broken" }, spec: { ...first.spec, name: "Broken", card: "{" } },
    ]);
    expect((await json("GET", "/discover/agents")).items).toMatchObject([{ name: "Weather" }]);
    store.set([...store.list()]);
    expect((await json("GET", "/discover/agents")).totalCount).toBe(1);
    expect(logs.filter(({ message }) => message === "registration cannot be read and is left out")).toHaveLength(1);
  });
});
