// Brings what libraries print by themselves into the log, as lines of the logger `library` (LOG-1): a program's output then is
// JSON lines and nothing else. Objects are left out: libraries print whole requests, with headers and prompts (BRR-4).
import type { Logger } from "./log.ts";
import { scrub } from "./error-fields.ts";

const maxTextChars = 500;

const methods = { debug: "debug", trace: "debug", log: "info", info: "info", warn: "warn", error: "error" } as const;

/** For a program's main; takes over the console and Node's own warnings of this process. */
export function captureLibraryOutput(programLog: Logger): void {
  const log = programLog.child({ logger: "library" });
  for (const [method, level] of Object.entries(methods)) {
    const write = (...values: unknown[]) => {
      const texts = values.filter((value) => typeof value === "string");
      const err = values.find((value) => value instanceof Error);
      log[level](err === undefined ? {} : { err }, scrub(texts.join(" ").slice(0, maxTextChars)));
    };
    Reflect.set(console, method, write);
  }
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "node warns"));
}
