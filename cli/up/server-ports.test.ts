import { describe, expect, test } from "vitest";
import { chooseServerPorts, type ServerPortWishes } from "./server-ports.ts";

const choose = async (wishes: Partial<ServerPortWishes>, busy: readonly number[] = []) =>
  Object.fromEntries(
    await chooseServerPorts({
      keys: ["server/d/b", "server/d/a"],
      registryPort: 24_200,
      named: new Set(),
      held: new Map(),
      remembered: new Map(),
      isFree: async (port) => !busy.includes(port),
      ...wishes,
    }),
  );

describe("DSC-6 ports of bridges", () => {
  test("the first two hundred after the registry's that nobody has or names, in the order of names", async () => {
    expect(await choose({})).toEqual({ "server/d/a": 24_400, "server/d/b": 24_401 });
    expect(await choose({ named: new Set([24_400]) }, [24_402])).toEqual({
      "server/d/a": 24_401,
      "server/d/b": 24_403,
    });
  });

  test("a server keeps its port through edits though it listens there, and one that comes gets another", async () => {
    const held = new Map([["server/d/b", 24_400]]);
    expect(await choose({ held }, [24_400])).toEqual({ "server/d/a": 24_401, "server/d/b": 24_400 });
  });

  test("a port of the run before is kept unless somebody has it by now", async () => {
    const remembered = new Map([
      ["server/d/a", 24_407],
      ["server/d/b", 24_408],
    ]);
    expect(await choose({ remembered }, [24_408])).toEqual({ "server/d/a": 24_407, "server/d/b": 24_400 });
  });

  test("it gives way to an agent that names its port", async () => {
    const held = new Map([["server/d/b", 24_400]]);
    expect((await choose({ held, named: new Set([24_400]) }))["server/d/b"]).toBe(24_402);
  });

  test("the last port is 65535, one more server gets none", async () => {
    expect(await choose({ registryPort: 65_334 })).toEqual({ "server/d/a": 65_534, "server/d/b": 65_535 });
    expect(await choose({ registryPort: 65_335 })).toEqual({ "server/d/a": 65_535 });
  });
});
