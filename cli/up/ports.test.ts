import { describe, expect, test } from "vitest";
import { assignPorts, type PortWish } from "./ports.ts";

const assign = (wishes: PortWish[], registryPort = 24_200, previous: [string, number][] = []) => {
  const { ports, refused } = assignPorts(wishes, { registryPort, previous: new Map(previous) });
  return { ports: Object.fromEntries(ports), refused };
};

describe("CLI-1 ports of agents", () => {
  test("spec.port where given, else the next after the registry's that no spec names", () => {
    expect(assign([{ key: "d/c" }, { key: "d/a" }, { key: "d/b", port: 24_202 }])).toEqual({
      ports: { "d/a": 24_201, "d/b": 24_202, "d/c": 24_203 },
      refused: [],
    });
  });

  test("an agent keeps its port when others come and go", () => {
    expect(
      assign([{ key: "d/b" }, { key: "d/a" }], 24_200, [
        ["d/b", 24_201],
        ["d/gone", 24_202],
      ]).ports,
    ).toEqual({
      "d/b": 24_201,
      "d/a": 24_202,
    });
  });

  test("a spec.port takes the port from an agent that had it by chance", () => {
    const { ports } = assign([{ key: "d/a" }, { key: "d/b", port: 24_201 }], 24_200, [["d/a", 24_201]]);
    expect(ports).toEqual({ "d/b": 24_201, "d/a": 24_202 });
  });

  test("two agents with one spec.port, and one with the registry's: the first keeps it, the others are named", () => {
    expect(
      assign([
        { key: "d/b", port: 5 },
        { key: "d/a", port: 5 },
        { key: "d/c", port: 24_200 },
      ]),
    ).toEqual({
      ports: { "d/a": 5 },
      refused: [
        { key: "d/b", message: 'spec.port: 5 is already the port of agent "d/a"; choose another' },
        { key: "d/c", message: "spec.port: 24200 is already the port of the registry; choose another" },
      ],
    });
  });

  test("the last port is 65535, one more agent gets none", () => {
    expect(assign([{ key: "d/a" }, { key: "d/b" }], 65_533).refused).toEqual([]);
    expect(assign([{ key: "d/a" }, { key: "d/b" }], 65_534)).toEqual({
      ports: { "d/a": 65_535 },
      refused: [{ key: "d/b", message: "no port is left after 65534; choose a lower --port" }],
    });
  });
});
