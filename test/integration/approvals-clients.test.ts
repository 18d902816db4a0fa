// One question each, answered in turn by what people have at hand: kubectl, the inspector's command line in the 2025 generation, the
// TypeScript client in the 2026 generation, the Python SDK, and pallas approve. A built agent asks a built gateway on a real API
// server; the tool server counts what reaches it. And a person who takes long, for a client that bears a minute of silence.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { clusterMissing } from "../cluster/cluster.ts";
import { findScript, openNpmPackages } from "../compat/npm-packages.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { startAskingAgent, type AskingAgent } from "./asking/asking-agent.ts";
import { sendMessage, type Heard } from "./asking/person.ts";
import { pallas } from "./local/local.ts";

const run = promisify(execFile);
const patience = { timeout: 15_000, interval: 200 };
const installTimeoutMs = 900_000;
const python = await findPython();
/** How long a person takes, in ms: longer than the agent bears silence of its gateway; nine minutes with PALLAS_TEST_THINK_SECONDS=540. */
const thinkMs = Number(process.env["PALLAS_TEST_THINK_SECONDS"] ?? 35) * 1_000;

const waitingSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ argumentsHash: z.string(), decision: z.unknown().optional() }),
  status: z.object({ usedBy: z.string().optional() }).optional(),
});

describe.skipIf(clusterMissing())("MGM-6 CLI-5 one question, answered by", () => {
  let asking: AskingAgent;
  let home: string;
  let inspector: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "pallas-clients-"));
    inspector = await findScript(await openNpmPackages("clients"), "@modelcontextprotocol/inspector");
    const rule = { name: "pay", match: { tools: ["pay"] }, action: "ask", reason: "a person looks at payments" };
    asking = await startAskingAgent("approvals-clients", { timeout: "15m", policy: { rules: [rule] } });
  }, installTimeoutMs);
  afterAll(async () => {
    await asking?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  async function pay(amount: number, onHeard?: (heard: Heard) => void): Promise<string> {
    const message = `pay ${JSON.stringify({ amount })}`;
    return (await sendMessage(asking.gateway.url, { agent: "clerk", token: asking.token, message }, onHeard)).text;
  }
  const paid = async (amount: number) => (await asking.received()).filter(({ args }) => args["amount"] === amount);
  async function findWaiting() {
    const { items } = JSON.parse(await asking.space.kubectl("get", "pallasapprovals", "-o", "json"));
    const waiting = z
      .array(waitingSchema)
      .parse(items)
      .filter(({ spec }) => spec.decision === undefined);
    expect(waiting).toHaveLength(1);
    const [{ metadata, spec } = { metadata: { name: "" }, spec: { argumentsHash: "" } }] = waiting;
    return { name: metadata.name, hash: spec.argumentsHash };
  }
  const untilWaiting = () => vi.waitFor(findWaiting, patience);
  const verdict = (name: string, hash: string) => ({ call_id: name, decision: "approve", arguments_hash: hash });

  const answers: readonly (readonly [string, number, (name: string, hash: string) => Promise<unknown>])[] = [
    [
      "kubectl patch",
      101,
      async (name, argumentsHash) => {
        const { status } = JSON.parse(await asking.space.kubectl("auth", "whoami", "-o", "json"));
        const by = status.userInfo.username;
        const decision = { verdict: "approve", argumentsHash, by, at: new Date().toISOString() };
        const patch = JSON.stringify({ spec: { decision } });
        return await asking.space.kubectl("patch", "pallasapproval", name, "--type=merge", `--patch=${patch}`);
      },
    ],
    [
      "the inspector's command line, 2025 generation",
      102,
      async (name, hash) => {
        const token = ["--header", `Authorization: Bearer ${asking.token}`];
        const common = [
          "--cli",
          `${asking.gateway.url}/mcp`,
          "--transport",
          "http",
          "--protocol-era",
          "legacy",
          ...token,
        ];
        const args = Object.entries(verdict(name, hash)).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
        const call = ["--method", "tools/call", "--tool-name", "agents_approve_request", ...args];
        const options = { timeout: 240_000, env: { PATH: process.env["PATH"], HOME: home } };
        expect((await run(process.execPath, [inspector, ...common, ...call], options)).stdout).not.toMatch(
          /"isError": true/,
        );
      },
    ],
    [
      "the TypeScript client, 2026 generation",
      103,
      async (name, hash) => {
        const client = new Client(
          { name: "approver", version: "1" },
          { versionNegotiation: { mode: { pin: "2026-07-28" } } },
        );
        const requestInit = { headers: { authorization: `Bearer ${asking.token}` } };
        await client.connect(new StreamableHTTPClientTransport(new URL(`${asking.gateway.url}/mcp`), { requestInit }));
        onTestFinished(() => client.close());
        const result = await client.callTool({ name: "agents_approve_request", arguments: verdict(name, hash) });
        expect(result.isError).not.toBe(true);
      },
    ],
    [
      "pallas approve",
      105,
      async (name) => {
        const env = { PATH: process.env["PATH"], HOME: home, PALLAS_TOKEN: asking.token };
        const command = [pallas, "approve", name, "--gateway", asking.gateway.url, "--yes"];
        const { stdout } = await run(process.execPath, command, { env, timeout: 60_000 });
        expect(stdout).toMatch(/rule pay of policy payments.*a person looks at payments/);
        expect(stdout).toContain('"amount": 105');
        expect(stdout).toMatch(/approved for one call\n$/);
      },
    ],
  ];

  async function expectPaid(amount: number, name: string, answer: string): Promise<void> {
    expect(answer).toContain(`paid ${amount}`);
    expect(await paid(amount)).toHaveLength(1);
    const { status } = waitingSchema.parse(await asking.space.get("pallasapproval", name));
    expect(status?.usedBy).toMatch(/^[0-9a-f-]{36}$/);
  }

  test.each(answers)("%s: the call is made once, and only then", { timeout: 300_000 }, async (_, amount, decide) => {
    const answered = pay(amount);
    answered.catch(() => undefined);
    const { name, hash } = await untilWaiting();
    expect(await paid(amount)).toEqual([]);
    await decide(name, hash);
    await expectPaid(amount, name, await answered);
  });

  test.skipIf(python === undefined)(
    "the Python SDK: the call is made once, and only then",
    { timeout: installTimeoutMs },
    async () => {
      if (python === undefined) return;
      const interpreter = await openEnvironment(python, 2);
      const answered = pay(104);
      answered.catch(() => undefined);
      const { name } = await untilWaiting();
      expect(await paid(104)).toEqual([]);
      const script = join(import.meta.dirname, "../python/decide.py");
      const env = { PATH: process.env["PATH"], TOKEN: asking.token };
      const { stdout } = await run(interpreter, ["-W", "ignore", script, `${asking.gateway.url}/mcp`], {
        env,
        timeout: 60_000,
      });
      expect(stdout).toBe(`${name}\n`);
      await expectPaid(104, name, await answered);
    },
  );

  test("a person who takes long, over heartbeats", { timeout: thinkMs + 120_000 }, async () => {
    const begin = performance.now();
    const heard: Heard[] = [];
    const answered = pay(106, (each) => heard.push(each));
    answered.catch(() => undefined);
    const { name } = await untilWaiting();
    await delay(thinkMs);
    const waits = heard.filter(({ message }) => message.includes(`waits for approval ${name}`)).map(({ at }) => at);
    const gaps = [...waits, performance.now()].map((at, index) => at - (waits[index - 1] ?? begin));
    expect(Math.max(...gaps), "ms of silence").toBeLessThan(15_000);
    const env = { PATH: process.env["PATH"], HOME: home, PALLAS_TOKEN: asking.token };
    await run(process.execPath, [pallas, "approve", name, "--gateway", asking.gateway.url, "--yes"], { env });
    await expectPaid(106, name, await answered);
    expect(performance.now() - begin).toBeGreaterThan(thinkMs);
  });
});
