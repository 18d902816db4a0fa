// Mistakes in finding tools: what a caller may learn of what it may not see, what answers while a list is replaced, what
// counts how much, and how much of foreign text is read.
import type { Mutant } from "./mutant.ts";

export const searchMutants: readonly Mutant[] = [
  {
    file: "lib/search/scores.ts",
    find: "? 1 : 2;",
    replace: "? 1 : 1;",
    breaks: "tools are found that the caller may not see",
  },
  {
    file: "lib/search/catalogue.ts",
    find: "    this.remove(segment.server);\n",
    replace: "",
    breaks: "what a server no longer has is found beside what it has",
  },
  {
    file: "lib/search/build.ts",
    find: "    if (context.isCancelled()) return;\n    const outsideWidth",
    replace: "    const outsideWidth",
    breaks: "a server that was removed while it was read comes back",
  },
  {
    file: "lib/search/work-line.ts",
    find: "if (this.#cost < sliceCost) continue;",
    replace: "if (this.#cost < sliceCost * 1_000) continue;",
    breaks: "the event loop stands still while a catalogue is read",
  },
  {
    file: "lib/search/slots.ts",
    find: "      this.#free.push(slot);\n",
    replace: "      this.#free.push(slot, slot);\n",
    breaks: "two tools share a number",
  },
  {
    file: "lib/search/posting-list.ts",
    find: "=== slotState.sweeping) continue;",
    replace: "=== slotState.unused) continue;",
    breaks: "a tool is found by the words of another that had its number before",
  },
  {
    file: "lib/search/fields.ts",
    find: "tool.parameters.slice(0, maxParameters)",
    replace: "tool.parameters",
    breaks: "a tool with very many parameters is read whole",
  },
  {
    file: "lib/search/tokens.ts",
    find: "text.length > maxTextLength ? text.slice(0, maxTextLength) : text",
    replace: "text",
    breaks: "a query of a megabyte is read whole",
  },
  {
    file: "lib/search/catalogue.ts",
    find: "if (live > 0 && live === this.slots.live)",
    replace: "if (live > 0)",
    breaks: "tools without a vector lose against those that have one",
  },
  {
    file: "lib/search/query.ts",
    find: "content.length > 0 ? content : all",
    replace: "content",
    breaks: "a tool that is called about is never found",
  },
  {
    file: "lib/search/suggest.ts",
    find: "at !== -1 && readings.length <= maxDivisions",
    replace: "at !== -1 && readings.length <= 0",
    breaks: "a name with its server is compared as if it was the tool's alone",
  },
  {
    file: "cli/search/measure.ts",
    find: "!met.has(at) && ",
    replace: "",
    breaks: "two tools that meet the same need count twice",
  },
];
