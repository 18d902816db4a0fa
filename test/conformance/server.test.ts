// The transport code that agents ship, judged by the official conformance suite in both eras (AGT-9).
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFixtureServer } from "./fixture-server.ts";
import { serverScenarios as notApplying } from "./not-applying.ts";
import { type Checks, readScenarios, renderFailures, revisions, runSuite } from "./suite.ts";

describe.each(revisions)("AGT-9 the shipped transport code, revision %s", async (revision) => {
  const { scored, unscored } = await readScenarios(revision, "server");
  let server: Awaited<ReturnType<typeof startFixtureServer>>;
  let results: Map<string, Checks>;

  beforeAll(async () => {
    server = await startFixtureServer();
    results = await runSuite(["server", "--url", server.url, "--requirements", revision]);
  });
  afterAll(() => server.stop());

  it.each([...scored, ...unscored].filter((name) => notApplying[name] === undefined))("passes %s", (name) => {
    expect(results.get(name), "the suite did not run it").toBeDefined();
    expect(renderFailures(results.get(name) ?? [])).toEqual([]);
  });

  it.each(unscored.filter((name) => notApplying[name] !== undefined))(
    "cannot pass %s, which does not apply",
    (name) => {
      expect(renderFailures(results.get(name) ?? [])).not.toEqual([]);
    },
  );

  it("has excused nothing that is scored", () => {
    expect(scored.filter((name) => notApplying[name] !== undefined)).toEqual([]);
  });
});
