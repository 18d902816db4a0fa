// A server in a container of its own: each of its processes by the supervisor there, its standard streams on named pipes of the
// folder that both containers share.
import { join } from "node:path";
import { settledWithin, type Clock } from "../../lib/process/clock.ts";
import type { ErrorLog } from "../stdio/error-log.ts";
import { createShowText } from "../stdio/shown-text.ts";
import {
  readOutput,
  type Launch,
  type OutputOptions,
  type ProcessEvents,
  type ServerProcess,
} from "../stdio/server-process.ts";
import { openPipe } from "./pipe.ts";
import type { SupervisorLink } from "./supervisor-link.ts";

export interface PipesOptions extends OutputOptions {
  readonly folder: string;
  readonly link: SupervisorLink;
  /** For the supervisor to be there and to make the pipes. */
  readonly timeoutMs: number;
  readonly errorLog: ErrorLog;
  readonly clock: Clock;
}

/** What its container was given is not known here. */
const secrets: readonly string[] = [];
const graceMs = { close: 500, terminate: 2_000, kill: 2_000 };

export function createPipedLaunch(options: PipesOptions): Launch {
  const { link, timeoutMs, clock } = options;
  return async (events) => {
    await link.ready(timeoutMs);
    const made = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<string>();
    const id = link.start({
      onMade: made.resolve,
      onExit: (code) => exited.resolve(code === undefined ? "was lost with its container" : renderExit(code)),
    });
    const begun = Promise.race([made.promise, exited.promise]);
    if (!(await settledWithin(begun, timeoutMs, clock))) {
      link.stop(id, "KILL");
      throw new Error("cannot be started: the supervisor in the server's container made no pipes for it");
    }
    return await joinProcess(id, exited.promise, events, options);
  };
}

/** The supervisor's shell tells a signal by a code over 128. */
const renderExit = (code: number): string =>
  code === 137 ? "was ended by SIGKILL" : code === 143 ? "was ended by SIGTERM" : `exited with code ${code}`;

async function joinProcess(
  id: string,
  exited: Promise<string>,
  events: ProcessEvents,
  { folder, link, errorLog, clock, ...output }: PipesOptions,
): Promise<ServerProcess> {
  const [input, out, error] = await Promise.all([
    openPipe(join(folder, `${id}.in`), "write"),
    openPipe(join(folder, `${id}.out`), "read"),
    openPipe(join(folder, `${id}.err`), "read"),
  ]);
  const readers = [
    { pipe: out, lines: readOutput(events, output) },
    { pipe: error, lines: errorLog.open(secrets) },
  ];
  for (const { pipe, lines } of readers) pipe.socket.on("data", (chunk: Buffer) => lines.push(chunk));
  const ended = exited.then((why) => {
    for (const { pipe, lines } of readers) {
      for (const part of pipe.takeRest()) lines.push(part);
      lines.end();
      pipe.socket.destroy();
    }
    input.socket.destroy();
    events.onEnd(why);
  });
  let ending: Promise<void> | undefined;
  const end = async () => {
    // Its only writer is gone: the process reads the end of its input.
    input.socket.end(() => input.socket.destroy());
    if (await settledWithin(ended, graceMs.close, clock)) return;
    link.stop(id, "TERM");
    if (await settledWithin(ended, graceMs.terminate, clock)) return;
    link.stop(id, "KILL");
    await settledWithin(ended, graceMs.kill, clock);
  };
  return {
    showText: createShowText(secrets),
    send: (text) => void (input.socket.writable && input.socket.write(`${text}\n`)),
    unreadBytes: () => input.socket.writableLength,
    end: () => (ending ??= end()),
  };
}
