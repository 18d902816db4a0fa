// For tests: manifests written into a folder of their own, and a terminal that keeps what it is told.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findManifestFiles } from "../manifests/find-files.ts";
import { readManifests, type Manifests } from "../manifests/read-manifests.ts";
import type { Screen, Terminal } from "../terminal.ts";

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files by name into a folder of their own. */
export async function writeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

export async function readFolder(files: Readonly<Record<string, string>>): Promise<Manifests & { folder: string }> {
  const folder = await writeFolder(files);
  return { folder, ...(await readManifests(await findManifestFiles([folder]))) };
}

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec:\n${spec.replaceAll(/^(?=.)/gm, "  ")}\n---\n`;

export const instanceYaml = (extra = ""): string =>
  document("PallasInstance", "i", `registryNamespace: com.example\ndefaultModel: passthrough\n${extra}`);

export const agentYaml = (name: string, extra = ""): string =>
  document("PallasAgent", name, `instanceRef: { name: i }\n${extra}`);

export const serverYaml = (name: string, spec: string): string =>
  document("PallasServer", name, `instanceRef: { name: i }\n${spec}`);

export interface RecordedTerminal extends Terminal {
  printed: string[];
  complaints: string[];
  /** Everything the line of what goes on has said. */
  statuses: string[];
}

/** @param screen what both streams are; by default nobody looks */
export function recordTerminal(folder: string, screen: Partial<Screen> = {}): RecordedTerminal {
  const [printed, complaints, statuses]: [string[], string[], string[]] = [[], [], []];
  const both: Screen = { isTerminal: false, hasColour: false, columns: 80, ...screen };
  return {
    folder,
    out: both,
    err: both,
    printed,
    complaints,
    statuses,
    print: (line) => void printed.push(line),
    printStyled: (text) => void printed.push(text),
    complain: (line) => void complaints.push(line),
    status: (line) => void (line !== undefined && statuses.push(line)),
  };
}
