// Many changed definitions are shown a portion at a time: no line of them is left out on the way to the end.
import { describe, expect, it } from "vitest";
import type { ToolChange } from "../../data/servers.ts";
import { differenceOf } from "./definition-difference.ts";
import { takeChanges, type ShownChanges } from "./shown-changes.ts";

const added = (tool: string, lines: number): ToolChange => ({
  tool,
  change: "added",
  fields: null,
  now: { name: tool, description: Array.from({ length: lines - 1 }, (_, at) => `${tool} ${at}`).join("\n") },
});
const textOf = ({ shown }: ShownChanges) =>
  shown.flatMap(({ fields }) => (fields ?? []).flatMap(({ lines }) => lines.map(({ text }) => text)));
const all = (changes: readonly ToolChange[]) =>
  changes.flatMap((change) => (differenceOf(change) ?? []).flatMap(({ lines }) => lines.map(({ text }) => text)));

describe("UI-1 changed definitions in portions", () => {
  it("are as many lines as there is room for, the first ones, within a definition too", () => {
    const changes = [added("a", 4), added("b", 4), added("c", 4)];
    for (const room of [1, 4, 5, 8, 11]) {
      const taken = takeChanges(changes, room);
      expect(textOf(taken)).toEqual(all(changes).slice(0, room));
      expect(taken.left).toBe(3 - Math.floor(room / 4));
    }
    expect(takeChanges(changes, 12)).toMatchObject({ left: 0 });
    expect(textOf(takeChanges(changes, 12))).toEqual(all(changes));
  });

  it("count the lines of a definition once it is shown to its end", () => {
    const counts = (room: number) => takeChanges([added("a", 4)], room).shown.map((each) => each.counts);
    expect(counts(3)).toEqual([undefined]);
    expect(counts(4)).toEqual([{ added: 4, removed: 0 }]);
  });

  it("take room where they have no lines, so that there is an end to those as well", () => {
    const gone = Array.from({ length: 5 }, (_, at): ToolChange => {
      return { tool: `t${at}`, change: at % 2 === 0 ? "removed" : "changed", fields: null, now: null };
    });
    expect(takeChanges(gone, 3)).toMatchObject({ left: 2, shown: { length: 3 } });
    expect(takeChanges(gone, 5)).toMatchObject({ left: 0, shown: { length: 5 } });
  });
});
