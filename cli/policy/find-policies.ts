// The policies of some manifests, read as strictly as they are where calls are made: what is faulty denies everything.
import * as z from "zod";
import { compilePolicy } from "../../lib/policy/compile.ts";
import { denyAll, type Policy } from "../../lib/policy/policy.ts";
import type { PolicyRules } from "../../lib/policy/rules.ts";
import { displayPath, renderDiagnostic } from "../manifests/diagnostic.ts";
import { findManifestFiles, UsageError } from "../manifests/find-files.ts";
import { readManifests } from "../manifests/read-manifests.ts";
import type { Terminal } from "../terminal.ts";

/** Of each policy as JSON, as the cluster takes it. */
const maxPolicyBytes = 256 * 1024;

export interface FoundPolicy {
  readonly name: string;
  /** File and line, as a person would write them here. */
  readonly place: string;
  readonly policy: Policy;
  /** As they are written; undefined where something is wrong with them. */
  readonly rules: PolicyRules | undefined;
  /** What is wrong, a sentence each; with one of them the policy denies every call. */
  readonly problems: readonly string[];
}

const manifest = z.looseObject({
  kind: z.literal("PallasPolicy"),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.record(z.string(), z.unknown()),
});

/**
 * All policies of these files and folders, or the one that was named.
 * @throws UsageError when a path cannot be read, or there is no such policy
 */
export async function findPolicies(
  paths: readonly [string, ...string[]],
  wanted: string | undefined,
  terminal: Terminal,
): Promise<FoundPolicy[]> {
  const manifests = await readManifests(await findManifestFiles(paths, { isForCluster: true, acceptsInput: false }));
  for (const diagnostic of manifests.diagnostics) {
    if (diagnostic.severity === "error") terminal.complain(renderDiagnostic(diagnostic, terminal.folder));
  }
  const all = manifests.resources.flatMap(({ source: { file, document }, value }) => {
    const parsed = manifest.safeParse(value);
    if (!parsed.success) return [];
    const { metadata, spec } = parsed.data;
    const place = `${displayPath(file, terminal.folder)}:${document.start.line}`;
    return [compileFound(metadata.name, place, spec)];
  });
  const found = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  if (found.length > 0) return found;
  const names = all.map(({ name }) => name).join(", ");
  const there = names === "" ? "no PallasPolicy is in these files" : `these files have ${names}`;
  throw new UsageError(
    `${wanted === undefined ? "" : `--policy ${wanted}: `}${there}; name the folder of the policy with -f`,
  );
}

function compileFound(name: string, place: string, spec: Readonly<Record<string, unknown>>): FoundPolicy {
  const { instanceRef: _, ...rules } = spec;
  const bytes = Buffer.byteLength(JSON.stringify(rules));
  if (bytes > maxPolicyBytes) {
    const problem = `policy: expected at most ${maxPolicyBytes} bytes as JSON, found ${bytes}`;
    return { name, place, policy: denyAll(problem), rules: undefined, problems: [problem] };
  }
  const { policy, problems } = compilePolicy(rules);
  const isSound = (written: object): written is PolicyRules => problems.length === 0 && "rules" in written;
  return {
    name,
    place,
    policy,
    rules: isSound(rules) ? rules : undefined,
    problems: problems.map(({ message }) => message),
  };
}
