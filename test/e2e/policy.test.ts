// A policy of an agent in a pod: kubectl approves a call, past the admission policy of the chart, and an edit of the rules reaches the
// pod that is running (MGM-5, MGM-6).
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { agent, instance } from "../faults/space.ts";
import { createDecisions, type Decisions } from "../integration/asking/decisions.ts";
import { sendMessage, type Heard } from "../integration/asking/person.ts";
import { eventually } from "./eventually.ts";
import { modelUrl, startModel, startToolbox, toolboxPort } from "./peers.ts";
import { openForward } from "./port-forward.ts";
import { createSpace, testbed, type LiveObject, type Space } from "./testbed.ts";

/** Mounted files follow within about a minute. */
const mountedWithinMs = 120_000;
const journalSchema = z.array(
  z.looseObject({
    kind: z.string(),
    body: z.looseObject({ messages: z.array(z.looseObject({})).default([]) }).nullish(),
  }),
);

let space: Space;
let people: Decisions;
let token: string;
let url: string;

const replies = (tool: string, args: object) => [
  { toolCalls: [{ name: `toolbox__${tool}`, arguments: args }] },
  { text: "It is done." },
];
const policy = (words: "allow" | "denyContinue") => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasPolicy",
  metadata: { name: "careful" },
  spec: {
    instanceRef: { name: "team" },
    rules: [
      { name: "words", match: { tools: ["word_count"] }, action: words, reason: "nobody counts words today" },
      { name: "dice", match: { tools: ["roll_dice"] }, action: "ask", reason: "a person looks at games" },
    ],
    default: "denyAbort",
  },
});
async function send(message: string): Promise<{ text: string; lines: string[] }> {
  const heard: Heard[] = [];
  const { text } = await sendMessage(url, { agent: "clerk", token, message }, (each) => heard.push(each));
  return { text, lines: heard.map((each) => each.message) };
}
/** What the model was told last of a tool. */
async function readTold(): Promise<string> {
  await using port = await openForward(space, "service/model", 8080);
  const journal = journalSchema.parse(await (await fetch(`${port.url}/__journal`)).json());
  return JSON.stringify(journal.findLast(({ kind }) => kind === "call")?.body?.messages.at(-1));
}
const podOf = async (): Promise<LiveObject> => {
  const [pod, ...others] = await space.pods("clerk");
  if (pod === undefined || others.length > 0) throw new Error(`expected one pod, found ${others.length + 1}`);
  return pod;
};

beforeAll(async () => {
  space = await createSpace("policy");
  people = createDecisions(space);
  await Promise.all([
    startToolbox(space),
    startModel(space, [
      { match: "count", replies: replies("word_count", { text: "three small words" }), repeat: true },
      { replies: replies("roll_dice", { count: 2, seed: 1 }), repeat: true },
    ]),
    space.kubectl("create", "serviceaccount", "on-call"),
  ]);
  const { nodeAddress } = testbed().cluster;
  await space.apply(
    instance("team", {
      defaultModel: "mock.scripted",
      providers: [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }],
      servers: [{ name: "toolbox", url: `http://toolbox.${space.name}.svc:${toolboxPort}/mcp` }],
      gateway: { service: { type: "NodePort" }, access: [{ role: "caller", serviceAccount: { name: "on-call" } }] },
      http: { allowedHosts: [nodeAddress] },
    }),
    policy("denyContinue"),
    agent("clerk", { servers: [{ name: "toolbox" }], policyRef: { name: "careful" } }),
  );
  await Promise.all([space.agentsReady(["clerk"]), space.instanceReady("team")]);
  const audience = `--audience=pallas:${space.name}/team`;
  token = (await space.kubectl("create", "token", "on-call", audience, "--duration=1h")).trim();
  const port = await space.kubectl("get", "service", "team-gateway", "--output=jsonpath={.spec.ports[0].nodePort}");
  url = `http://${nodeAddress}:${port}`;
}, 240_000);
afterAll(() => space?.[Symbol.asyncDispose]());

describe("MGM-6 MGM-5 a policy of an agent in a pod", { timeout: 180_000 }, () => {
  it("kubectl approves a call, in the name of who is logged in and in no other", async () => {
    const { username } = JSON.parse(await space.kubectl("auth", "whoami", "--output=json")).status.userInfo;
    const answer = send("roll the dice");
    answer.catch(() => undefined); // It is looked at below.
    const waiting = await eventually("the call to wait", 60_000, async () => (await people.list())[0]);
    const caller = `system:serviceaccount:${space.name}:on-call`;
    expect(waiting.spec).toMatchObject({ caller, server: "toolbox", tool: "roll_dice", agentRef: { name: "clerk" } });
    const { argumentsHash } = waiting.spec;
    const patch = (by: string) => {
      const decision = { verdict: "approve", argumentsHash, at: new Date().toISOString(), by };
      const given = JSON.stringify({ spec: { decision } });
      return space.kubectl("patch", "pallasapproval", waiting.metadata.name, "--type=merge", `--patch=${given}`);
    };
    await expect(patch("somebody-else")).rejects.toThrow("spec.decision.by must be who decides");
    await patch(username);
    const { text, lines } = await answer;
    expect(text).toBe("It is done.");
    expect(lines).toContain("toolbox/roll_dice: completed");
    const [used] = await people.list();
    expect(used?.status?.usedBy).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("an edit of its rules reaches the pod that is running", async () => {
    const before = await podOf();
    expect((await send("count, before the edit")).lines).not.toContain("toolbox/word_count: completed");
    // Every call of it is denied, so it is not even listed.
    expect(await readTold()).toContain('There is no tool named \\"toolbox__word_count\\"');
    await space.apply(policy("allow"));
    let attempt = 0;
    await eventually("the call to be allowed", mountedWithinMs, async () => {
      const { lines } = await send(`count, ${(attempt += 1)}`);
      return lines.includes("toolbox/word_count: completed") || undefined;
    });
    const after = await podOf();
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0]);
  });
});
