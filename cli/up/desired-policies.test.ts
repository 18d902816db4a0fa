// The policies of a run: an edit reaches agents without starting them anew, and while it is faulty the last good one holds.
import { describe, expect, test } from "vitest";
import { parseLiveConfig } from "../../crds/run-config.ts";
import { judge } from "../manifests/judge.ts";
import { agentYaml, instanceYaml, readFolder } from "../testing/manifests.ts";
import { renderDesired, type Desired } from "./desired.ts";

const policyYaml = (rules: string) =>
  `---\napiVersion: pallas.helu.ca/v1alpha1\nkind: PallasPolicy\nmetadata: { name: careful }\nspec:\n  instanceRef: { name: i }\n  ${rules}\n`;
const reads = policyYaml('rules: [{ name: reads, match: { tools: ["read_*"] }, action: allow }]');
const writes = policyYaml('rules: [{ name: writes, match: { tools: ["write_*"] }, action: ask }]\n  default: allow');
const agent = agentYaml("a", "policyRef: { name: careful }");
const base = { "i.yaml": instanceYaml("gateway: {}"), "a.yaml": agent };

/** Every reading has a folder of its own here; to the code it must look like one. */
function moved(previous: Desired, folder: string): Desired {
  const inFolder = (file: string) => `${folder}/${file.split("/").at(-1)}`;
  for (const entry of [...previous.listed.values(), ...previous.runnable.values()]) entry.file = inFolder(entry.file);
  const policies = [...previous.policies].map(
    ([key, { policy, file }]) => [key, { policy, file: inFolder(file) }] as const,
  );
  return { ...previous, policies: new Map(policies) };
}

async function desire(files: Record<string, string>, before?: Desired) {
  const manifests = await readFolder(files);
  const previous = before && moved(before, manifests.folder);
  const judged = judge(manifests, { mode: "local" }, {});
  const desired = renderDesired(manifests, judged, {
    registryPort: 24_200,
    urlHost: "localhost",
    environment: {},
    previous,
    portsBefore: previous?.ports ?? new Map(),
    serverPorts: new Map<string, number>(),
    judgeProgram: () => "allowed" as const,
  });
  const runnable = desired.runnable.get("default/a");
  const policy = desired.policies.get("default/careful")?.policy;
  return {
    desired,
    messages: judged.diagnostics.map(({ message }) => message),
    fingerprint: runnable?.fingerprint,
    live: parseLiveConfig(runnable?.liveConfig ?? "{}"),
    policy,
  };
}

describe("MGM-5 CLI-1 a policy of a run", () => {
  test("reaches the agent's live configuration, and an edit of it starts nothing anew", async () => {
    const before = await desire({ ...base, "p.yaml": reads });
    expect(before.messages).toEqual([]);
    expect(before.live.policy).toMatchObject({ name: "careful", rules: [{ name: "reads" }] });
    expect(before.live.approvals).toEqual({ url: "http://localhost:24300", timeoutMs: 600_000 });
    const after = await desire({ ...base, "p.yaml": writes }, before.desired);
    expect(after.live.policy).toMatchObject({ rules: [{ name: "writes" }], default: "allow" });
    expect(after.fingerprint).toBe(before.fingerprint);
    expect(after.policy?.metadata.generation).not.toBe(before.policy?.metadata.generation);
  });

  test.each([
    ["an unknown matcher", reads.replace("tools:", "toolz:"), "toolz"],
    ["a matcher that is null", reads.replace('["read_*"]', ""), "found null"],
    ["a value of another type", reads.replace('["read_*"]', "3"), "tools"],
    ["no YAML", `${reads}  broken: [`, "not valid YAML"],
  ])("goes on while its edit is faulty: %s", async (_, faulty, words) => {
    const before = await desire({ ...base, "p.yaml": reads });
    const after = await desire({ ...base, "p.yaml": faulty }, before.desired);
    expect(after.messages.join()).toContain(words);
    expect(after.live.policy).toMatchObject({ rules: [{ name: "reads", match: { tools: ["read_*"] } }] });
    expect(after.fingerprint).toBe(before.fingerprint);
    // The gateway of the run judges by the same.
    expect(after.policy?.status?.inForce ?? after.policy?.spec).toMatchObject({ rules: [{ name: "reads" }] });
  });

  test("denies where it was never sound, and where it is not there: the agent runs", async () => {
    const faulty = await desire({ ...base, "p.yaml": reads.replace("tools:", "toolz:") });
    expect(faulty.live.policy).toMatchObject({ fault: expect.stringContaining("toolz") });
    const none = await desire(base);
    expect(none.live.policy).toEqual({ name: "careful", fault: expect.stringContaining("does not exist") });
    expect(none.messages.join()).toContain('policy "careful" does not exist');
    const deleted = await desire(base, (await desire({ ...base, "p.yaml": reads })).desired);
    expect(deleted.live.policy).toMatchObject({ fault: expect.stringContaining("does not exist") });
    expect(none.desired.listed.get("default/a")?.problem).toBeUndefined();
  });

  test("follows its own edits where the agent's are faulty", async () => {
    const before = await desire({ ...base, "p.yaml": reads });
    const broken = agentYaml("a", "policyRef: { name: careful }\nmodel: nowhere.x");
    const after = await desire({ ...base, "a.yaml": broken, "p.yaml": writes }, before.desired);
    expect(after.live.policy).toMatchObject({ rules: [{ name: "writes" }] });
  });

  test("that asks people is advised against where nobody can be asked", async () => {
    const { messages } = await desire({ ...base, "i.yaml": instanceYaml(), "p.yaml": reads });
    expect(messages.join()).toContain("has no gateway, where somebody could approve them");
  });
});
