// The command line of @modelcontextprotocol/inspector, as somebody at a terminal uses it who has a token.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findScript, openNpmPackages } from "../compat/npm-packages.ts";

const run = promisify(execFile);
const commandTimeoutMs = 150_000;

export interface Inspector extends AsyncDisposable {
  /** What it prints, as JSON; throws when it ends with a failure. */
  (method: string, ...args: string[]): Promise<unknown>;
  callTool(name: string, args: Record<string, string>): Promise<unknown>;
}

export async function openInspector(url: string, token: string): Promise<Inspector> {
  const script = await findScript(await openNpmPackages("clients"), "@modelcontextprotocol/inspector");
  // It would keep a catalogue of servers in the home of whoever runs it.
  const home = await mkdtemp(join(tmpdir(), "pallas-inspector-"));
  const connection = [url, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const inspect = async (method: string, ...args: string[]): Promise<unknown> => {
    const { stdout } = await run(process.execPath, [script, "--cli", ...connection, "--method", method, ...args], {
      timeout: commandTimeoutMs,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, DO_NOT_TRACK: "1" },
    });
    return JSON.parse(stdout);
  };
  return Object.assign(inspect, {
    callTool: (name: string, args: Record<string, string>) => {
      const pairs = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
      return inspect("tools/call", "--tool-name", name, ...pairs);
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  });
}
