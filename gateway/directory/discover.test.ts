// What discovery finds: every filter by itself and with others, against a plain reading of the same rules, and pages of what passed.
import { describe, expect, it } from "vitest";
import { discover, maxPageSize, parseDiscoverQuery } from "./discover.ts";
import type { DirectoryEndpoint, DirectoryEntry } from "./entry.ts";
import { DirectoryRefused } from "./refused.ts";

const live = new Set<string>();
const isLive = ({ key }: Pick<DirectoryEndpoint, "key">) => live.has(key);
let state = 7;
/** In [0, 1), the same numbers each time. */
const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0];
const someOf = <T>(from: readonly T[]): T[] => from.filter(() => random() < 0.4);

const entries = Array.from({ length: 400 }, (_, number): DirectoryEntry => {
  const endpoints = Array.from({ length: Math.floor(random() * 4) }, (__, position): DirectoryEndpoint => {
    const key = `${number}/${position}`;
    if (random() < 0.5) live.add(key);
    const speech = {
      protocol: pick(["MCP", "A2A", "ACP"] as const),
      transport: pick(["Http", "Amqp"] as const),
    };
    return { id: key, key, name: key, address: "a", livenessModel: "Ephemeral", ...speech };
  });
  const capabilities = someOf(["sum", "find", "draw"]).map((name) => ({ name, tags: someOf(["tool", "mcp", "nlp"]) }));
  return {
    ...{ id: `${number}`, kind: "registration", name: `${number}`, labels: {}, capabilities, endpoints },
    words: {
      names: new Set(capabilities.map(({ name }) => name)),
      tags: new Set(capabilities.flatMap(({ tags }) => tags)),
    },
  };
});

/** The rules once more, without a pipeline. */
function expectedIds(parameters: URLSearchParams): string[] {
  const [protocol, transport, capability, tags] = ["protocol", "transport", "capability", "tags"].map((name) =>
    parameters.get(name),
  );
  const liveOnly = parameters.get("liveOnly") !== "false";
  return entries.flatMap(({ id, capabilities, endpoints }) => {
    if (capability && !capabilities.some(({ name }) => name === capability)) return [];
    if (tags?.split(",").some((tag) => !capabilities.some((each) => each.tags?.includes(tag)))) return [];
    const isAsked = liveOnly || protocol || transport;
    const fits = endpoints.filter((each) => !protocol || each.protocol === protocol);
    return !isAsked || fits.some((each) => (!transport || each.transport === transport) && (!liveOnly || isLive(each)))
      ? [id]
      : [];
  });
}

const choices = {
  capability: ["", "capability=sum", "capability=nothing"],
  tags: ["", "tags=tool", "tags=tool,mcp,nlp"],
  protocol: ["", "protocol=MCP", "protocol=Unknown"],
  transport: ["", "transport=Http", "transport=Grpc"],
  liveOnly: ["", "liveOnly=false", "liveOnly=true"],
};
const queries = Object.values(choices).reduce<string[]>(
  (all, each) => all.flatMap((query) => each.map((part) => [query, part].filter((text) => text !== "").join("&"))),
  [""],
);

describe("DIR-3 what passes the filters", () => {
  it("is in the pages once each, and the totals count it, under every set of filters", () => {
    expect(queries).toHaveLength(243);
    for (const query of queries) {
      const expected = expectedIds(new URLSearchParams(query));
      const seen: string[] = [];
      for (let number = 1; ; number += 1) {
        const page = discover(
          entries,
          parseDiscoverQuery(new URLSearchParams(`${query}&page=${number}&pageSize=7`)),
          isLive,
        );
        seen.push(...page.items.map(({ id }) => id));
        const totalPages = Math.ceil(expected.length / 7);
        const has = { hasNextPage: number < totalPages, hasPreviousPage: number > 1 };
        expect(page, query).toMatchObject({
          totalCount: expected.length,
          page: number,
          pageSize: 7,
          totalPages,
          ...has,
        });
        if (!page.hasNextPage) break;
      }
      expect(seen, query).toEqual(expected);
    }
  });

  it("needs one endpoint that has protocol, transport and life at once", () => {
    const at = (key: string, protocol: "MCP" | "A2A"): DirectoryEndpoint => ({
      ...{ id: key, key, name: key, address: "a", livenessModel: "Ephemeral", protocol, transport: "Http" },
    });
    live.add("alive");
    const words = { names: new Set<string>(), tags: new Set<string>() };
    const entry: DirectoryEntry = {
      id: "1",
      kind: "registration",
      name: "1",
      labels: {},
      capabilities: [],
      words,
      endpoints: [at("alive", "A2A"), at("dead", "MCP")],
    };
    const count = (query: string) =>
      discover([entry], parseDiscoverQuery(new URLSearchParams(query)), isLive).totalCount;
    expect(["protocol=A2A", "protocol=MCP", "protocol=MCP&liveOnly=false", ""].map(count)).toEqual([1, 0, 1, 1]);
  });

  it("leaves a page behind the last one empty, with the same totals", () => {
    const page = discover(entries, parseDiscoverQuery(new URLSearchParams("page=999999&liveOnly=false")), isLive);
    expect(page).toMatchObject({
      items: [],
      totalCount: 400,
      totalPages: 20,
      hasNextPage: false,
      hasPreviousPage: true,
    });
  });
});

describe("DIR-3 what is asked", () => {
  const read = (query: string) => parseDiscoverQuery(new URLSearchParams(query));
  it("is live ones, twenty a page, from the first on", () => {
    expect(read("")).toEqual({ tags: [], liveOnly: true, page: 1, pageSize: 20 });
    expect(read("protocol=&tags=&page=")).toEqual(read(""));
  });

  it("may be in any case, with spaces around tags, and repeat a tag", () => {
    expect(read("protocol=mcp&transport=HTTP&liveOnly=False&tags=a, b,,a")).toMatchObject({
      ...{ protocol: "MCP", transport: "Http", liveOnly: false, tags: ["a", "b"] },
    });
  });

  it.each([
    ["protocol=SOAP", 'protocol "SOAP" is none of Unknown, A2A, MCP, ACP'],
    ["transport=Stdio", 'transport "Stdio" is none of Http, Amqp, AzureServiceBus, Grpc, WebSocket'],
    ["liveOnly=yes", 'liveOnly "yes" is neither true nor false'],
    ["page=0", 'page "0" is no number from 1 to 1000000'],
    ["page=1000001", 'page "1000001" is no number from 1 to 1000000'],
    ["pageSize=0", 'pageSize "0" is no number from 1 to 100'],
    [`pageSize=${maxPageSize + 1}`, 'pageSize "101" is no number from 1 to 100'],
    ["pageSize=1e1", 'pageSize "1e1" is no number from 1 to 100'],
    ["pageSize=-1", 'pageSize "-1" is no number from 1 to 100'],
    ["page=1&page=2", "page is given 2 times: give it once"],
    [
      `tags=${Array.from({ length: 33 }, (_, number) => number).join(",")}`,
      "tags has 33 tags, more than 32: give fewer",
    ],
    [`protocol=${"x".repeat(1_000)}`, `protocol "${"x".repeat(64)}…" is none of Unknown, A2A, MCP, ACP`],
  ])("%s is 400 with what was expected", (query, message) => {
    expect(() => read(query)).toThrow(new DirectoryRefused(400, message));
    expect(() => read(query)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it("takes each limit itself", () => {
    expect(read(`page=1000000&pageSize=${maxPageSize}`)).toMatchObject({ page: 1_000_000, pageSize: 100 });
    expect(read(`tags=${Array.from({ length: 32 }, (_, number) => number).join(",")}`).tags).toHaveLength(32);
  });
});
