// Models that other people's agent frameworks host go on with a conversation with an agent of ours, by what they are shown,
// and so do people at the inspector's command line.
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentProcess } from "../../agent-runtime/testing/process.ts";
import { startBuiltAgent } from "../integration/agents/built-agent.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { openEnvironment } from "../python/environment.ts";
import { findInterpreter, leastMinor } from "../python/interpreter.ts";
import { needsPresent } from "../tools/needs.ts";
import { findScript, openNpmPackages } from "./npm-packages.ts";
import { startRecorder, type Recorder } from "./recorder.ts";
import { triedClients, type Host } from "./tried-clients.ts";
import { readUserTexts } from "./user-texts.ts";

const run = promisify(execFile);
const python = await findInterpreter(leastMinor);
const hostTimeoutMs = 240_000;
const installTimeoutMs = 900_000;

let model: ModelMock;
let agent: AgentProcess;
let npmPackages: string;
/** The scripts for Node, beside the packages that they import. */
let scripts: string;

beforeAll(async () => {
  model = await startModelMock(({ body }) => ({ text: readUserTexts(body).join(", ") }));
  agent = await startBuiltAgent(model, {});
  npmPackages = await openNpmPackages("clients");
  scripts = await mkdtemp(join(tmpdir(), "pallas-hosts-"));
  await cp(join(import.meta.dirname, "hosts"), scripts, { recursive: true });
  await symlink(join(npmPackages, "node_modules"), join(scripts, "node_modules"));
}, installTimeoutMs);

afterAll(async () => {
  await agent?.stop();
  await model?.close();
  await rm(scripts, { recursive: true, force: true });
});

/** What it prints. */
async function start(file: string, args: readonly string[]): Promise<string> {
  const { PATH = "" } = process.env;
  const quiet = { DO_NOT_TRACK: "1", MASTRA_TELEMETRY_DISABLED: "1", MCP_USE_ANONYMIZED_TELEMETRY: "false" };
  const env = { PATH, HOME: scripts, PYTHONDONTWRITEBYTECODE: "1", ...quiet };
  const options = { timeout: hostTimeoutMs, env };
  return (await run(file, args, options)).stdout.trim();
}

async function startHost({ runs }: Host, { url }: Recorder): Promise<string> {
  if (runs.with === "node") return start(process.execPath, [join(scripts, runs.script), url]);
  if ("missing" in python) throw new Error(python.missing);
  return start(await openEnvironment(python, runs.with), [join(import.meta.dirname, "hosts", runs.script), url]);
}

const isOlder = (protocol: string | undefined) => protocol?.startsWith("2025-") === true;

describe(
  "AGT-13 a model that reads only what it is shown",
  needsPresent("missing" in python ? python.missing : undefined),
  () => {
    test.each(triedClients.flatMap(({ name, host, ...row }) => (host === undefined ? [] : [{ name, host, ...row }])))(
      "goes on with its conversation in $name",
      async ({ host, era, progress, structured }) => {
        const recorder = await startRecorder(`${agent.url}/mcp`);
        try {
          const shown = await startHost(host, recorder);
          expect(shown).toContain("I am Ada, who am I?");
          const connections = new Set(recorder.calls.map(({ connection }) => connection));
          expect({
            sent: recorder.calls.map((call) => call.arguments["message"]),
            era: recorder.calls.map(({ protocol }) => (isOlder(protocol) ? "2025" : "2026")),
            progress: recorder.calls.some(({ asksProgress }) => asksProgress) ? "yes" : "no",
            structured: shown.includes("stop_reason") ? "yes" : "no",
            keepsConnection: connections.size === 1 && !connections.has(undefined),
          }).toEqual({
            sent: ["I am Ada", "who am I?"],
            era: [era, era],
            progress,
            structured,
            keepsConnection: host.keepsConnection,
          });
        } finally {
          await recorder.stop();
        }
      },
      installTimeoutMs,
    );
  },
);

describe("the inspector's command line", () => {
  const parseText = (stdout: string): unknown => JSON.parse(stdout);

  async function inspect(recorder: Recorder, ...args: readonly string[]): Promise<unknown> {
    const script = await findScript(npmPackages, "@modelcontextprotocol/inspector");
    return parseText(await start(process.execPath, [script, "--cli", recorder.url, "--transport", "http", ...args]));
  }
  const send = (...args: readonly string[]) => [
    ...["--method", "tools/call", "--tool-name", "send_message"],
    ...args.flatMap((arg) => ["--tool-arg", arg]),
  ];

  test(
    "AGT-13 lists the tools, shows the facts of an answer, and goes on with a conversation by its id",
    async () => {
      const recorder = await startRecorder(`${agent.url}/mcp`);
      try {
        const named = expect.objectContaining({ name: "send_message" });
        expect(await inspect(recorder, "--method", "tools/list")).toMatchObject({
          tools: expect.arrayContaining([named]),
        });
        const first = await inspect(recorder, ...send("message=I am Ada", "session_id=new"));
        const sessionId = /"session_id":"([0-9a-f]{32})"/.exec(JSON.stringify(first))?.[1];
        expect(first).toMatchObject({ structuredContent: { stop_reason: "end", session_id: sessionId } });
        const second = await inspect(recorder, ...send("message=who am I?", `session_id=${sessionId}`));
        expect(second).toMatchObject({ structuredContent: { text: "I am Ada, who am I?" } });
        expect(recorder.calls.map(({ protocol }) => isOlder(protocol))).toEqual([true, true]);
      } finally {
        await recorder.stop();
      }
    },
    installTimeoutMs,
  );
});
