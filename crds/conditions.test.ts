import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { agentConditions, agentReadyParts, validationReasons, instanceConditions, stateReasons } from "./conditions.ts";

const page = await readFile(new URL("../docs/errors.md", import.meta.url), "utf8");

/** Rows of the table below a heading: reason, meaning, cure. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const [table = ""] = section.split("\n## ");
  return [...table.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)].map(([, ...cells]) => cells);
}

describe("OPR-3 docs/errors.md", () => {
  it.each([
    ["What is wrong with a resource", validationReasons],
    ["What state a resource is in", stateReasons],
  ])("%s: lists exactly the code's reasons, in its order", (heading, reasons) => {
    expect(rowsBelow(heading).map(([reason]) => reason)).toEqual([...reasons]);
  });

  it("gives every reason a meaning and a cure", () => {
    const rows = [...rowsBelow("What is wrong with a resource"), ...rowsBelow("What state a resource is in")];
    for (const [reason, meaning = "", cure = ""] of rows) {
      expect([reason, meaning.length > 15, cure.length > 4]).toEqual([reason, true, true]);
    }
  });
});

describe("OPR-3 reasons and conditions", () => {
  it("no reason is listed twice, and each is one word as Kubernetes wants it", () => {
    const all = [...validationReasons, ...stateReasons];
    expect(new Set(all).size).toBe(all.length);
    for (const reason of all) expect(reason).toMatch(/^[A-Z][A-Za-z]*$/);
  });

  it("Ready is made of conditions that an agent has, never of its health", () => {
    expect(agentConditions).toEqual(expect.arrayContaining([...agentReadyParts]));
    expect(agentReadyParts).not.toContain("ModelHealthy");
    expect(agentReadyParts).not.toContain("DownstreamsReachable");
  });

  it("both kinds have what kstatus reads", () => {
    for (const type of ["Ready", "Reconciling", "Stalled"]) {
      expect(agentConditions).toContain(type);
      expect(instanceConditions).toContain(type);
    }
  });
});
