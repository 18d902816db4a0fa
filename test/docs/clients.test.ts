// The table of clients in docs/clients.md says what the suite of published clients finds, of the versions that it installs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { triedClients, type TriedClient } from "../compat/tried-clients.ts";
import { root } from "./pages.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const packageSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

function readVersion({ name, pin }: TriedClient): string {
  const version = "npm" in pin ? readNpm(pin.npm)[name] : readPin(pin, name);
  if (version === undefined) throw new Error(`expected the version of ${name} where it is pinned, found none`);
  return version;
}

function readNpm(set: "clients" | "own"): Readonly<Record<string, string>> {
  const text = read(set === "own" ? "package.json" : "test/compat/clients/package.json");
  const { dependencies, devDependencies } = packageSchema.parse(JSON.parse(text));
  return { ...dependencies, ...devDependencies };
}

const readPin = (pin: { python: string } | { go: string }, name: string): string | undefined =>
  "go" in pin
    ? new RegExp(`^require ${name} v(\\S+)$`, "m").exec(read(`test/cluster/go/${pin.go}/go.mod`))?.[1]
    : new RegExp(`^${name}(?:\\[[^\\]]*\\])?==(\\S+)`, "m").exec(
        read(`test/python/requirements-${pin.python}.txt`),
      )?.[1];

function renderRow(client: TriedClient): string {
  const { name, era, structured, progress, cancel, history, remembers } = client;
  return `| \`${name}\` ${readVersion(client)} | ${era} | ${structured} | ${progress} | ${cancel} | ${history} | ${remembers} |`;
}

test("AGT-13 docs/clients.md has one row for each client that is tried, of its version and what it does", () => {
  const rows = read("docs/clients.md")
    .split("\n")
    .filter((line) => line.startsWith("| `") && line.split("|").length === 9);
  expect(rows).toEqual(triedClients.map(renderRow));
});

test("a client is called in clients.test.ts, or hosts a model in hosts.test.ts; only the inspector's commands stand alone", () => {
  const suite = read("test/compat/clients.test.ts") + read("test/integration/agents/callers.ts");
  for (const { name, callers = [], host } of triedClients) {
    expect(callers.length > 0 || host !== undefined || name === "@modelcontextprotocol/inspector", name).toBe(true);
    expect(callers.filter((caller) => !suite.includes(`"${caller}"`))).toEqual([]);
  }
});
