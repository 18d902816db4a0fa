// Callers of send_message on the SDKs that people use, under one interface: both TypeScript SDKs, and programs on others.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import { textDeltaMetaKey, textDeltaSchema } from "../../../crds/text-delta.ts";
import { defined } from "../../../lib/process/defined.ts";
import { connect1, connect2, type Connect } from "../daedalus/typescript-clients.ts";
import { createWire } from "../daedalus/wire.ts";

/** What clients commonly wait for a sign of life. */
const idleTimeoutMs = 60_000;
const program = join(import.meta.dirname, "../../python/caller.py");

export interface CallerAnswer {
  /** Of the first block. */
  text: string;
  /** Of the blocks after it. */
  moreTexts: string[];
  structured: unknown;
  isError: boolean;
  sessionId: string | undefined;
  /** The messages of its progress. */
  lines: string[];
  /** The pieces of text that came before the answer, where they were asked for. */
  deltas: string[];
}

const toolSchema = z.object({ name: z.string(), outputSchema: z.unknown().optional() });
export type ListedTool = z.output<typeof toolSchema>;
const toolsSchema = z.array(toolSchema);

export interface Caller {
  protocol: string;
  /** As the SDK lists them. */
  tools: readonly ListedTool[];
  /** Sends one message, with `meta` in its `_meta`. Rejects when it is cancelled by `signal`. */
  send(args: Record<string, string>, signal?: AbortSignal, meta?: Record<string, unknown>): Promise<CallerAnswer>;
  /** The messages of the agent's history prompt. */
  readHistory(prompt: string, args: Record<string, string>): Promise<unknown[]>;
  stop(): Promise<void>;
}

export type OpenCaller = (url: string) => Promise<Caller>;

const block = z.object({ text: z.string() });
const resultSchema = z.object({
  content: z.tuple([block], block),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
  _meta: z.object({ "ca.helu.pallas/session_id": z.string().optional() }).optional(),
});

const deltaSchema = z.object({ [textDeltaMetaKey]: textDeltaSchema });

function parseAnswer(result: unknown, { lines, deltas }: Pick<CallerAnswer, "lines" | "deltas">): CallerAnswer {
  const { content, structuredContent: structured, isError, _meta } = resultSchema.parse(result);
  const [text = "", ...moreTexts] = content.map((each) => each.text);
  return { text, moreTexts, structured, isError, sessionId: _meta?.["ca.helu.pallas/session_id"], lines, deltas };
}

/** One that waits a minute for each sign of life. */
const openTypeScript =
  (connect: Connect): OpenCaller =>
  async (url) => {
    const session = await connect(new URL(url), createWire());
    return {
      protocol: session.protocol ?? "",
      tools: toolsSchema.parse((await session.listTools()).tools),
      async send(args, signal, meta) {
        const lines: string[] = [];
        const deltas: string[] = [];
        const result = await session.callTool(
          { name: "send_message", arguments: args, ...defined({ _meta: meta }) },
          {
            timeout: idleTimeoutMs,
            resetTimeoutOnProgress: true,
            onprogress({ message, _meta }) {
              if (message !== undefined) lines.push(message);
              const delta = deltaSchema.safeParse(_meta).data;
              if (delta !== undefined) deltas.push(delta[textDeltaMetaKey].text);
            },
            ...defined({ signal }),
          },
        );
        return parseAnswer(result, { lines, deltas });
      },
      readHistory: async (name, args) => (await session.getPrompt({ name, arguments: args })).messages,
      stop: () => session.close(),
    };
  };

export const typeScriptCallers: Readonly<Record<string, OpenCaller>> = {
  "TypeScript SDK 1.x, 2025 era": openTypeScript(connect1),
  "TypeScript SDK 2.x, 2025 era": openTypeScript(connect2("legacy")),
  "TypeScript SDK 2.x, 2026 era": openTypeScript(connect2({ pin: "2026-07-28" })),
};

const resultSpoken = z.object({
  id: z.number(),
  result: z.unknown(),
  lines: z.array(z.string()),
  deltas: z.array(z.string()),
});
const promptSpoken = z.object({ id: z.number(), messages: z.array(z.unknown()) });
const spokenSchema = z.union([
  z.object({ ready: z.string(), tools: toolsSchema }),
  z.object({ id: z.number(), failure: z.string() }),
  promptSpoken,
  resultSpoken,
]);

/** One that gives up after a minute without a byte. `interpreter` has the SDK. */
export const openPython = (interpreter: string, mode: "legacy" | "auto"): OpenCaller =>
  openCommand(interpreter, (url) => [program, url, "--mode", mode]);

/** The same on the SDK 1.x or on FastMCP's client. */
export const openOtherPython = (interpreter: string, client: "1" | "fastmcp"): OpenCaller =>
  openCommand(interpreter, (url) => [program, url, "--client", client]);

/** A command that becomes test/python/caller.py, or speaks as it does, wherever that runs. */
export const openCommand =
  (file: string, renderArgs: (url: string) => readonly string[]): OpenCaller =>
  async (url) => {
    const child = spawn(file, renderArgs(url), { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(child, "exit");
    const calls = new Map<number, PromiseWithResolvers<unknown>>();
    const ready = Promise.withResolvers<Pick<Caller, "protocol" | "tools">>();
    createInterface({ input: child.stdout }).on("line", (line) => {
      const spoken = spokenSchema.parse(JSON.parse(line));
      if ("ready" in spoken) ready.resolve({ protocol: spoken.ready, tools: spoken.tools });
      else if ("failure" in spoken) calls.get(spoken.id)?.reject(new Error(spoken.failure));
      else calls.get(spoken.id)?.resolve(spoken);
    });
    void ended.then(([code]) => {
      const error = new Error(`${file} ended with exit code ${code}`);
      for (const { reject } of [ready, ...calls.values()]) reject(error);
    });
    const tell = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
    const ask = (request: object, signal?: AbortSignal): Promise<unknown> => {
      const id = calls.size;
      const call = Promise.withResolvers<unknown>();
      calls.set(id, call);
      tell({ id, ...request });
      signal?.addEventListener("abort", () => tell({ cancel: id }), { once: true });
      return call.promise;
    };
    return {
      ...(await ready.promise),
      async send(args, signal, meta) {
        const { result, ...heard } = resultSpoken.parse(await ask({ arguments: args, meta }, signal));
        return parseAnswer(result, heard);
      },
      readHistory: async (prompt, args) => promptSpoken.parse(await ask({ prompt, arguments: args })).messages,
      async stop() {
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
        await ended;
        clearTimeout(timer);
      },
    };
  };
