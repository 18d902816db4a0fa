import { describe, expect, it, vi } from "vitest";
import { createWakes } from "./wakes.ts";

describe("HLT-6 OPR-11 wakes", () => {
  it("reach the connected controller, and nobody before or after", () => {
    const { source, wake } = createWakes("health");
    const enqueue = vi.fn<(key: string) => void>();
    wake("agents/early");
    const disconnect = source.connect(enqueue);
    wake("agents/research");
    disconnect();
    wake("agents/late");
    expect(enqueue.mock.calls.map(([key]) => key)).toEqual(["agents/research"]);
    expect([source.hasSynced, source.ensureSynced("agents")]).toEqual([true, undefined]);
  });
});
