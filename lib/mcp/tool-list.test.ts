import { describe, expect, test } from "vitest";
import type { ToolDescription } from "./connect.ts";
import { McpError } from "./mcp-error.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { createToolList } from "./tool-list.ts";

const read: ToolDescription = { name: "read", inputSchema: { type: "object" } };

/** A list of a server whose answers the test gives. */
function startList() {
  const clock = new ManualClock();
  let asked = Promise.withResolvers<readonly ToolDescription[]>();
  const ask = () => {
    asked = Promise.withResolvers();
    return asked.promise;
  };
  const list = createToolList({ server: "argos", ask, onProblem: () => undefined, firstWaitMs: 12_000, clock });
  /** What `get` gave after so long, or "waits". */
  const getAfter = async (ms: number) => {
    const outcome: { tools?: readonly ToolDescription[] | undefined; isOver: boolean } = { isOver: false };
    void list.get().then((tools) => Object.assign(outcome, { tools, isOver: true }));
    await clock.advance(ms);
    return outcome.isOver ? outcome.tools : "waits";
  };
  const answer = async (settle: (of: typeof asked) => void) => {
    settle(asked);
    await clock.advance(0);
  };
  return { list, clock, getAfter, answer };
}

describe("a list of tools that is late", () => {
  test("is waited for but once, says so, and is there for the next run when it comes", async () => {
    const { list, getAfter, answer } = startList();
    expect(await getAfter(11_999)).toBe("waits");
    expect(await getAfter(1)).toBe("waits");
    expect(list.problem()).toMatchObject({ kind: "timeout", message: "argos did not list its tools within 12000 ms" });
    expect(await getAfter(999)).toBe("waits");
    expect(await getAfter(1_000)).toBeUndefined();
    await answer(({ resolve }) => resolve([read]));
    expect(list.problem()).toBeUndefined();
    expect(await getAfter(0)).toEqual([read]);
  });

  test("leaves the last one known, which is no problem", async () => {
    const { list, clock, getAfter, answer } = startList();
    void list.get();
    await answer(({ resolve }) => resolve([read]));
    await clock.advance(60_000);
    expect(await getAfter(999)).toBe("waits");
    expect(await getAfter(1_000)).toEqual([read]);
    expect(list.problem()).toBeUndefined();
  });
});

describe("a list of tools that failed", () => {
  test("tells with what, also where the server was not tried again so soon, and when", async () => {
    const { list, clock, answer } = startList();
    void list.get();
    await clock.advance(5_000);
    const cause = new McpError("protocol", "it answered with HTTP 404");
    await answer(({ reject }) =>
      reject(new McpError("unreachable", "argos was not reachable a moment ago", { cause })),
    );
    expect(list.problem()).toEqual({ kind: "protocol", message: "it answered with HTTP 404", at: clock.now() });
    void list.get();
    await answer(({ reject }) => reject(new TypeError("secret of ours")));
    expect(list.problem()).toMatchObject({ message: "argos cannot be queried" });
    void list.get();
    await answer(({ resolve }) => resolve([]));
    expect(list.problem()).toBeUndefined();
  });
});
