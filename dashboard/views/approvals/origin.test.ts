import { describe, expect, it } from "vitest";
import { findVia, listOrigin } from "./origin.ts";
import { fakeApproval } from "./testing/approval.ts";

const texts = (fields: Record<string, unknown> = {}) => listOrigin(fakeApproval(fields)).map(({ text }) => text);

describe("how a call came here", () => {
  it("is told from the first who asked to the agent that waits", () => {
    const steps = [
      { text: "documents / read_invoice", outcome: "ok", at: "2026-11-24T12:02:00Z" },
      { text: "payments / list", outcome: "failed" },
      { text: "payments / check", outcome: "waiting" },
    ];
    expect(texts({ steps })).toEqual([
      "mara@example.com asked concierge",
      "concierge asked bookkeeper",
      "bookkeeper called documents / read_invoice",
      "bookkeeper called payments / list, which failed",
      "bookkeeper called payments / check, which waited",
      "bookkeeper waits here",
    ]);
  });

  it("names the agent that calls where the chain does not", () => {
    expect(texts({ chain: [{ caller: "mara@example.com", agent: "concierge", step: "step 2" }] })).toEqual([
      "mara@example.com asked concierge: step 2",
      "concierge asked bookkeeper",
      "bookkeeper waits here",
    ]);
  });

  it("says a step of an agent once by its name", () => {
    const chain = [{ caller: "mara@example.com", agent: "bookkeeper", step: "bookkeeper step 2 (tool)" }];
    expect(texts({ chain })[0]).toBe("mara@example.com asked bookkeeper: step 2");
  });

  it("is the caller alone for a call through the gateway, and past once it is over", () => {
    expect(texts({ agent_id: null, chain: [{ caller: "mara" }], state: "used", caller: "mara" })).toEqual([
      "mara waited here",
    ]);
  });
});

describe("the agent in between", () => {
  it("is the last one before the one that calls, if any", () => {
    expect(findVia(fakeApproval())).toBe("concierge");
    expect(findVia(fakeApproval({ chain: [{ caller: "mara", agent: "bookkeeper" }] }))).toBeUndefined();
  });
});
