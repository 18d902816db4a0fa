import { describe, expect, it } from "vitest";
import { observeSpecChange, type SpecChange } from "./spec-changed.ts";

const created = "2026-11-21T10:00:00Z";
const now = "2026-11-21T12:00:00Z";
const meta = (generation: number) => ({
  name: "echo",
  uid: "u",
  resourceVersion: "1",
  generation,
  creationTimestamp: created,
});
type Before = SpecChange & { readonly observedGeneration?: number };
const observe = (generation: number, before: Before | undefined, spec: object | undefined, at = now) =>
  observeSpecChange(meta(generation), before, spec, at);

const spec = { model: "a", replicas: 1 };
const first = observe(1, { observedGeneration: -1 }, spec);
const handled = { ...first, observedGeneration: 1 };

describe("CAT-6 when the spec last changed", () => {
  it("is the creation at first", () => {
    expect(first.specChangedAt).toBe(created);
    expect(observe(1, undefined, spec).specChangedAt).toBe(created);
  });

  it("stays while the spec does, whatever else is written", () => {
    expect(observe(1, handled, spec)).toEqual(first);
  });

  it("moves with the spec", () => {
    expect(observe(2, handled, { ...spec, model: "b" }).specChangedAt).toBe(now);
  });

  it("stays when only replicas change, as kubectl scale and autoscalers do", () => {
    expect(observe(2, handled, { ...spec, replicas: 3 })).toEqual(first);
  });

  it("moves once when the change cannot be carried out, not at every try", () => {
    const edited = observe(2, handled, { ...spec, model: "b" });
    expect(observe(2, { ...edited, observedGeneration: 1 }, { ...spec, model: "b" }, "2026-11-21T13:00:00Z")).toEqual(
      edited,
    );
  });

  it("stays while the spec cannot be read", () => {
    expect(observe(2, handled, undefined)).toEqual(first);
  });

  it("of a status without a digest goes by the generation", () => {
    const earlier = { specChangedAt: created };
    expect(observe(2, { ...earlier, observedGeneration: 2 }, spec).specChangedAt).toBe(created);
    expect(observe(3, { ...earlier, observedGeneration: 2 }, spec).specChangedAt).toBe(now);
  });
});
