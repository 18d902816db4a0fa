// What is kept of a refusal: for good, for this request only, or not at all because the same would be sent again.
import { describe, expect, test } from "vitest";
import { renderTestConfig } from "../testing/run-config.ts";
import { createLearned, learn, type Sent, type ThisTime } from "./learned.ts";
import type { Refusal } from "./refusals.ts";
import { ModelError } from "./types.ts";
import { observeVendor } from "./vendor-rules.ts";

const { models, request: settings } = renderTestConfig();
const [model] = models;
if (model === undefined) throw new Error("expected a model in the configuration for tests");
const rules = observeVendor({ kind: "openai-compatible", baseUrl: "http://localhost/v1" }, model);
const refusalOf = (refusal: Refusal) =>
  new ModelError("refused", { kind: "unsupported_param", provider: "p", refusal });

function send(changes: Partial<Sent> = {}): Sent {
  const sent = { settings, tools: [], outputTokens: 16_384, mayOmitLimit: true, refused: new Set<never>(), rules };
  return { ...sent, ...changes };
}

describe("AGT-15 a limit of the answer", () => {
  test("of the model is kept for all later requests", () => {
    const [learned, thisTime]: [ReturnType<typeof createLearned>, ThisTime] = [createLearned(), {}];
    expect(learn(refusalOf({ what: "output-limit", maxTokens: 4_096 }), send(), learned, thisTime)).toBeDefined();
    expect([learned.outputMax, thisTime.outputMax]).toEqual([4_096, 4_096]);
  });

  test("that credit sets is kept for this request only", () => {
    const [learned, thisTime]: [ReturnType<typeof createLearned>, ThisTime] = [createLearned(), {}];
    const refusal = refusalOf({ what: "output-limit", maxTokens: 4_096, passing: true });
    expect(learn(refusal, send(), learned, thisTime)).toBeDefined();
    expect([learned.outputMax, thisTime.outputMax]).toEqual([undefined, 4_096]);
  });
});

describe("AGT-15 refused tools", () => {
  const learnRefused = (count: number) => {
    const learned = createLearned();
    const tools = Array.from({ length: count }, (_, index) => `tool_${index}`);
    const lesson = learn(refusalOf({ what: "tools", indexes: [], names: tools }), send({ tools }), learned, {});
    return { isLearned: lesson !== undefined, left: learned.tools.size };
  };

  test("are left out up to 32; with one more something else is wrong, and none is", () => {
    expect(learnRefused(32)).toEqual({ isLearned: true, left: 32 });
    expect(learnRefused(33)).toEqual({ isLearned: false, left: 0 });
  });
});

test("AGT-14 answers that are refused as they came go back as plain text once, and are not tried a third time", () => {
  const thisTime: ThisTime = {};
  const refused = refusalOf({ what: "replay" });
  expect(learn(refused, send(), createLearned(), thisTime)).toBeDefined();
  expect(thisTime).toEqual({ plainReplay: true });
  expect(learn(refused, send(), createLearned(), thisTime)).toBeUndefined();
});
