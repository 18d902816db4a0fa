/** Callers of send_message on the SDKs that people use, under one interface: both TypeScript SDKs and the Python SDK 2.x. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import { connect1, connect2, type Connect } from "../daedalus/typescript-clients.ts";
import { createWire } from "../daedalus/wire.ts";

/** What clients commonly wait for a sign of life. */
const idleTimeoutMs = 60_000;
const program = join(import.meta.dirname, "../../python/caller.py");

export interface CallerAnswer {
  text: string;
  isError: boolean;
  sessionId: string | undefined;
  /** The messages of its progress. */
  lines: string[];
}

export interface Caller {
  protocol: string;
  /** Sends one message. Rejects when it is cancelled by `signal`. */
  send(args: Record<string, string>, signal?: AbortSignal): Promise<CallerAnswer>;
  stop(): Promise<void>;
}

export type OpenCaller = (url: string) => Promise<Caller>;

const resultSchema = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
  isError: z.boolean().default(false),
  _meta: z.object({ "ca.helu.pallas/session_id": z.string().optional() }).optional(),
});

function parseAnswer(result: unknown, lines: string[]): CallerAnswer {
  const { content, isError, _meta } = resultSchema.parse(result);
  return { text: content[0].text, isError, sessionId: _meta?.["ca.helu.pallas/session_id"], lines };
}

/** One that waits a minute for each sign of life. */
const openTypeScript =
  (connect: Connect): OpenCaller =>
  async (url) => {
    const session = await connect(new URL(url), createWire());
    return {
      protocol: session.protocol ?? "",
      async send(args, signal) {
        const lines: string[] = [];
        const result = await session.callTool(
          { name: "send_message", arguments: args },
          {
            timeout: idleTimeoutMs,
            resetTimeoutOnProgress: true,
            onprogress: ({ message = "" }) => void lines.push(message),
            ...(signal === undefined ? {} : { signal }),
          },
        );
        return parseAnswer(result, lines);
      },
      stop: () => session.close(),
    };
  };

export const typeScriptCallers: Readonly<Record<string, OpenCaller>> = {
  "TypeScript SDK 1.x, 2025 era": openTypeScript(connect1),
  "TypeScript SDK 2.x, 2025 era": openTypeScript(connect2("legacy")),
  "TypeScript SDK 2.x, 2026 era": openTypeScript(connect2({ pin: "2026-07-28" })),
};

const spokenSchema = z.union([
  z.object({ ready: z.string() }),
  z.object({ id: z.number(), result: z.unknown(), lines: z.array(z.string()) }),
  z.object({ id: z.number(), failure: z.string() }),
]);

/** One that gives up after a minute without a byte. `interpreter` has the SDK. */
export const openPython = (interpreter: string, mode: "legacy" | "auto"): OpenCaller =>
  openCommand(interpreter, (url) => [program, url, "--mode", mode]);

/** A command that becomes test/python/caller.py, wherever that runs. */
export const openCommand =
  (file: string, renderArgs: (url: string) => readonly string[]): OpenCaller =>
  async (url) => {
    const child = spawn(file, renderArgs(url), { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(child, "exit");
    const calls = new Map<number, PromiseWithResolvers<CallerAnswer>>();
    const ready = Promise.withResolvers<string>();
    createInterface({ input: child.stdout }).on("line", (line) => {
      const spoken = spokenSchema.parse(JSON.parse(line));
      if ("ready" in spoken) ready.resolve(spoken.ready);
      else if ("failure" in spoken) calls.get(spoken.id)?.reject(new Error(spoken.failure));
      else calls.get(spoken.id)?.resolve(parseAnswer(spoken.result, spoken.lines));
    });
    void ended.then(([code]) => {
      const error = new Error(`the Python client ended with exit code ${code}`);
      for (const { reject } of [ready, ...calls.values()]) reject(error);
    });
    const tell = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
    const protocol = await ready.promise;
    return {
      protocol,
      send(args, signal) {
        const id = calls.size;
        const call = Promise.withResolvers<CallerAnswer>();
        calls.set(id, call);
        tell({ id, arguments: args });
        signal?.addEventListener("abort", () => tell({ cancel: id }), { once: true });
        return call.promise;
      },
      async stop() {
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
        await ended;
        clearTimeout(timer);
      },
    };
  };
