// The client by which agents reach their downstream servers, judged by the official conformance suite in both eras (AGT-9).
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientScenarios as notApplying } from "./not-applying.ts";
import { readScenarios, renderFailures, revisions, runSuite } from "./suite.ts";

const client = `${process.execPath} ${join(import.meta.dirname, "client.ts")}`;
const isOauth = (name: string) => name.startsWith("auth/");

describe.each(revisions)("AGT-9 the client of downstream servers, revision %s", async (revision) => {
  const { scored, unscored } = await readScenarios(revision, "client");
  const names = [...scored, ...unscored].filter((name) => !isOauth(name));
  const excused = names.filter((name) => notApplying[name] !== undefined);

  const run = async (name: string): Promise<string[]> => {
    const args = ["client", "--command", client, "--scenario", name, "--spec-version", revision];
    const [checks] = (await runSuite(args)).values();
    if (checks === undefined) throw new Error("the suite did not run it");
    return renderFailures(checks);
  };

  it.concurrent.each(names.filter((name) => notApplying[name] === undefined))("passes %s", async (name) => {
    expect(await run(name)).toEqual([]);
  });

  it.concurrent.each([...excused, "auth/metadata-default"])("cannot pass %s, which does not apply", async (name) => {
    expect(await run(name)).not.toEqual([]);
  });
});
