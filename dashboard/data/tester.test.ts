import { describe, expect, it } from "vitest";
import type { Rest, RestRequest } from "../connect/rest.ts";
import { askServer, maxListed, readOffered } from "./tester.ts";

const never = new AbortController().signal;

describe("what a server offers", () => {
  const restOf = (answer: (path: string) => object): Rest =>
    async function rest<T>({ path, schema }: RestRequest<T>) {
      return schema.parse(answer(path));
    };
  const nothing = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

  it("is read page by page", async () => {
    const rest = restOf((path) => {
      if (path.endsWith("/tools")) return { tools: [{ name: "a", inputSchema: {} }], nextCursor: "2 &" };
      if (path.endsWith("/tools?cursor=2%20%26")) return { tools: [{ name: "b" }] };
      return nothing;
    });
    expect((await readOffered(rest, "s", never)).tools.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("has an end, whatever the server says", async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => ({ name: String(n) }));
    let asked = 0;
    const rest = restOf((path) => {
      if (!path.includes("/tools")) return nothing;
      asked += 1;
      return { tools: many, nextCursor: "again" };
    });
    expect((await readOffered(rest, "s", never)).tools).toHaveLength(maxListed);
    expect(asked).toBe(4);
  });
});

describe("an answer of a server", () => {
  it("is kept as it came, whatever its status", async () => {
    const fetch = async () => new Response('{"é":12345678901234567890}', { status: 502 });
    await expect(askServer(fetch, "/x", "{}", never)).resolves.toEqual({
      ...{ kind: "answered", status: 502 },
      ...{ text: '{"é":12345678901234567890}', bytes: 27 },
    });
  });

  it("that never came says why", async () => {
    const away = async () => {
      throw new TypeError("network");
    };
    await expect(askServer(away, "/x", "{}", never)).resolves.toMatchObject({ reason: "unreachable" });
    const stopped = AbortSignal.abort();
    await expect(askServer(away, "/x", "{}", stopped)).resolves.toMatchObject({ reason: "cancelled" });
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    await expect(askServer(away, "/x", "{}", late)).resolves.toMatchObject({ reason: "timeout" });
  });
});
