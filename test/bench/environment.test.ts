import { afterEach, beforeEach, expect, it, vi } from "vitest";

const read = async () => (await import("./environment.ts")).benchEnvironment;

beforeEach(() => {
  vi.resetModules();
  for (const name of Object.keys(process.env)) if (name.startsWith("BENCH_")) vi.stubEnv(name, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

it("measures at the promised size unless it is told otherwise", async () => {
  expect(await read()).toMatchObject({ BENCH_AGENTS: 2_000, BENCH_EDITS_PER_SECOND: 10, BENCH_REST_SECONDS: 600 });
  vi.resetModules();
  vi.stubEnv("BENCH_AGENTS", "50");
  expect((await read()).BENCH_AGENTS).toBe(50);
});

it.each(["0", "-1", "1.5", "many"])("refuses to measure %s agents", async (value) => {
  vi.stubEnv("BENCH_AGENTS", value);
  await expect(read()).rejects.toThrow(/BENCH_AGENTS/);
});
