// What becomes of calls in flight when `pallas up` is edited, stopped or hurried, and of an agent that hangs: the built program
// with an agent that takes three seconds for each answer.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isOfKind, kinds } from "../../crds/kinds.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { agentManifest } from "./local/agents.ts";
import { Local, startMs } from "./local/local.ts";

let toolPort: number;
let local: Local;
beforeAll(async () => {
  toolPort = await findFreePorts(1);
});
afterEach(({ task }) => {
  if (task.result?.state === "fail") process.stderr.write(`${local.stdout}\n${local.stderr}\n`);
});

/** `snail` alone, with one conversation for all, so that calls wait for each other. */
async function startSnail(): Promise<void> {
  local = await Local.create(toolPort);
  onTestFinished(() => local.remove());
  await local.write(
    "snail.yaml",
    agentManifest("snail", "  model: slow.x\n  scope: shared\n  instruction: Be slow.\n"),
  );
  local.up("--only", "snail");
  await local.started();
}

interface Call {
  answer: Promise<{ text: string; isError: boolean }>;
}

/** Calls that the agent works on, each on a connection of its own. */
async function callSnail(count: number): Promise<Call[]> {
  const { resources, endpoints } = await local.told();
  const agents = resources.filter(isOfKind(kinds.PallasAgent));
  const url = agents.find(({ metadata }) => metadata.name === "snail")?.status?.url ?? "";
  const clients = Array.from({ length: count }, () => new Client({ name: "local-calls-test", version: "1.0.0" }));
  for (const client of clients) {
    onTestFinished(() => client.close().catch(() => undefined));
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  }
  const calls = clients.map((client, index): Call => ({ answer: callOnce(client, `call ${index}`) }));
  // One may be over before the last is counted.
  await expect.poll(() => countCalls(endpoints[0]?.adminUrl ?? ""), { timeout: startMs }).toBeGreaterThan(count - 2);
  return calls;
}

async function callOnce(client: Client, message: string): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool(
    { name: "send_message", arguments: { message } },
    { timeout: 2 * startMs },
  );
  return {
    text: content.map((part) => (part.type === "text" ? part.text : part.type)).join(""),
    isError: isError === true,
  };
}

async function countCalls(adminUrl: string): Promise<number> {
  const { callsInFlight }: { callsInFlight: number } = JSON.parse(await (await fetch(`${adminUrl}/health`)).text());
  return callsInFlight;
}

const answers = (calls: readonly Call[]) => Promise.all(calls.map(({ answer }) => answer));
const whole = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: `call ${index}`, isError: false }));

describe("CLI-1 no call is lost", () => {
  test("over an edit: all are answered by the agent as it was, and then it starts anew", async () => {
    await startSnail();
    const { snail } = await local.pids(1);
    // More than the ten seconds that a stop once had.
    const calls = await callSnail(5);
    await local.edit("snail.yaml", (text) => text.replace("Be slow.", "Be careful."));
    await expect
      .poll(() => local.stderr, { timeout: startMs })
      .toMatch(
        /edited: restarted snail\n[^]*snail: [1-5] calls? (is|are) still running; what was edited holds when they have ended/,
      );
    expect(await answers(calls)).toEqual(whole(5));
    await expect.poll(() => local.stderr, { timeout: startMs }).toContain("snail: ready after");
    expect((await local.pids(1))["snail"]).not.toBe(snail);
  });

  test("over Ctrl-C: it waits for them and says so", async () => {
    await startSnail();
    const calls = await callSnail(5);
    local.send("SIGINT");
    expect(await answers(calls)).toEqual(whole(5));
    expect(await local.signal("SIGCONT")).toBe(0);
    expect(local.stderr).toMatch(
      /stopping\n[^]*snail: [1-5] calls? (is|are) still running; Ctrl-C once more ends what runs/,
    );
  });

  test("over a second Ctrl-C: each is answered that the agent was shut down", async () => {
    await startSnail();
    const calls = await callSnail(8);
    local.send("SIGINT");
    await expect.poll(() => local.stderr, { timeout: startMs }).toContain("Ctrl-C once more ends what runs");
    local.send("SIGINT");
    const ends = (await answers(calls)).map(({ text, isError }, index) => {
      if (isError) return /was shut down/.test(text) ? "told" : text;
      return text === `call ${index}` ? "answered" : text;
    });
    // The first ones may have been answered in the meantime, and each has one result.
    expect(new Set(ends)).toEqual(new Set(ends.includes("answered") ? ["answered", "told"] : ["told"]));
    expect(await local.signal("SIGCONT")).toBe(0);
  });
});

test("CLI-1 an agent that hangs is reported, and started again", async () => {
  await startSnail();
  const { snail = 0 } = await local.pids(1);
  process.kill(snail, "SIGSTOP");
  await expect
    .poll(() => local.stderr, { timeout: 60_000 })
    .toMatch(
      /snail: degraded: it does not answer\n[^]*snail: does not answer any more \(3 times in a row\); trying again in/,
    );
  await expect.poll(() => local.stderr, { timeout: startMs }).toMatch(/trying again in[^]*snail: ready after/);
  expect((await local.pids(1))["snail"]).not.toBe(snail);
});

test("SEC-8 Secrets that a kill -9 left are gone at the next start, even one that comes to nothing", async () => {
  await startSnail();
  const secrets = join(local.state, "secrets");
  await local.signal("SIGKILL");
  expect((await stat(secrets)).isDirectory()).toBe(true);
  const { code } = await local.run("up", "-f", "manifests", "--port", String(toolPort), "--host", "192.0.2.77");
  expect(code).toBe(1);
  await expect(stat(secrets)).rejects.toThrow("ENOENT");
});
