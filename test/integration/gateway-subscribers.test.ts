// Two hundred people who follow agents at the built gateway, on a real API server and in both eras, while some of them hang,
// some are slow, and one has been there since before the gateway was killed: everyone reads the last state that was written,
// told by nothing but what they hear.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createBareClient, type BareClient } from "../bench/bare-client.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { openSubscriber, type Era, type Subscriber, type SubscriberOptions } from "../subscribers/subscriber.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startGateway, type GatewayProcess } from "./gateway-process.ts";
import { watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const subscriberCount = 200;
const accounts = ["ada", "grace", "edsger", "barbara"];
const eras: Era[] = ["2025", "2026"];
const agents = ["clerk", "scribe"];
const uriOf = (name: string): string => `resource://agents/${name}/info`;
const uris = agents.map(uriOf);
const [clerkUri = ""] = uris;
const edits = 40;
const patience = { timeout: 60_000, interval: 100 };

const descriptionIn = (text = "{}"): unknown => JSON.parse(text).description;

describe.skipIf(clusterMissing())("MGM-2 two hundred subscribers of the built gateway", () => {
  let space: WatchedNamespace;
  let gateway: GatewayProcess;
  let tokens: string[];
  let writer: BareClient;

  beforeAll(async () => {
    writer = await createBareClient(cluster());
    space = await watchNamespace("gateway-subscribers");
    const access = accounts.map((name) => ({ role: "viewer", serviceAccount: { name } }));
    await space.apply(instance({ gateway: { access } }), ...agents.map((name) => agent({}, name)));
    for (const name of accounts) await space.kubectl("create", "serviceaccount", name);
    await space.waitFor("pallasinstance", "team", "condition=GatewayAvailable");
    gateway = await startGateway(space, "team");
    const audience = `--audience=pallas:${space.name}/team`;
    tokens = await Promise.all(accounts.map((name) => space.kubectl("create", "token", name, audience)));
    tokens = tokens.map((token) => token.trim());
  }, 120_000);
  afterAll(async () => {
    await writer?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  const tokenOf = (at: number): string => tokens[at % tokens.length] ?? "";
  async function open(at: number, more: Partial<SubscriberOptions> = {}): Promise<Subscriber> {
    const era = eras[Math.floor(at / accounts.length) % 2] ?? "2025";
    const { url } = gateway;
    const subscriber = await openSubscriber({ url, token: tokenOf(at), era, uris, readsAgain: true, ...more });
    onTestFinished(subscriber.close);
    return subscriber;
  }
  /** Resolves when it listens. Its `texts` are what it has read. */
  async function startProcess(era: Era) {
    const program = join(import.meta.dirname, "../subscribers/subscriber-process.ts");
    const args = [program, gateway.url, tokenOf(0), era, clerkUri];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    });
    const texts: string[] = [];
    const lines = createInterface({ input: child.stdout }).on("line", (line) => texts.push(JSON.parse(line).text));
    await once(lines, "line");
    return { texts, signal: (name: "SIGSTOP" | "SIGCONT") => child.kill(name) };
  }
  async function edit(name: string, description: string): Promise<void> {
    const path = `/apis/pallas.helu.ca/v1alpha1/namespaces/${space.name}/pallasagents/${name}`;
    await writer.patch(path, JSON.stringify({ spec: { description } }));
  }

  it("all read the last state, beside one that is stopped, one that is slow and one that was resumed", async () => {
    const early = await open(0, { era: "2025" });
    const kept = () => readFile(gateway.sessionsPath, "utf8").catch(() => "");
    await expect.poll(kept, patience).toContain(JSON.stringify([early.sessionId, uris]));
    gateway = await gateway.restart();
    expect(early.isOpen()).toBe(false);
    const resumed = await open(0, { era: "2025", sessionId: early.sessionId });
    await expect.poll(() => uris.map((uri) => resumed.heard.get(uri)), patience).toEqual([1, 1]);

    const stopped = await Promise.all(eras.map(startProcess));
    for (const { signal } of stopped) signal("SIGSTOP");
    const slow = await Promise.all(eras.map((era) => open(1, { era, restMs: 500 })));
    const others: Subscriber[] = [];
    while (others.length < subscriberCount - 5) others.push(await open(others.length));
    expect(new Set(others.map(({ era }) => era)).size).toBe(2);

    for (let at = 1; at <= edits; at += 1) for (const name of agents) await edit(name, `Edit ${at} of ${edits}.`);
    const last = `Edit ${edits} of ${edits}.`;
    const readers = [resumed, ...slow, ...others];
    const behind = () =>
      readers.filter(({ texts }) => uris.some((uri) => descriptionIn(texts.get(uri)) !== last)).length;
    await expect.poll(behind, patience).toBe(0);
    expect(readers.filter(({ isOpen }) => !isOpen())).toEqual([]);

    for (const { signal } of stopped) signal("SIGCONT");
    for (const { texts } of stopped) await expect.poll(() => descriptionIn(texts.at(-1)), patience).toBe(last);
  }, 180_000);
});
