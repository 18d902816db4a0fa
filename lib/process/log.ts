// JSON-line logging (LOG-1): every line carries `time`, `level`, `logger` and `message`, plus fields.
// It refuses to print what may hold a secret: errors are reduced to an allow-list of fields, and header-like fields are replaced.
import { pino } from "pino";
import type { Bindings, ChildLoggerOptions, DestinationStream, LevelWithSilent, Logger as PinoLogger } from "pino";
import { renderError } from "./error-fields.ts";
import { createLogOutput } from "./log-output.ts";

export type Logger = PinoLogger;

/** The words of PALLAS_LOG_LEVEL and PALLAS_ROOT_LOG_LEVEL, quietest last. */
export const logLevels = ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL", "SILENT"] as const;
export type LogLevel = (typeof logLevels)[number];

const pinoLevels = {
  TRACE: "trace",
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warn",
  ERROR: "error",
  FATAL: "fatal",
  SILENT: "silent",
} as const satisfies Record<LogLevel, LevelWithSilent>;

const levelAliases: ReadonlyMap<string, LogLevel> = new Map([
  ...logLevels.map((word): [string, LogLevel] => [word, word]),
  ["WARN", "WARNING"],
  ["CRITICAL", "FATAL"],
]);

const levelWords: ReadonlyMap<string, LogLevel> = new Map(logLevels.map((word) => [pinoLevels[word], word]));

const secretFields: ReadonlySet<string> = new Set([
  "headers",
  "authorization",
  "cookie",
  "set-cookie",
  "bearer",
  "token",
  "apikey",
  "api_key",
  "x-api-key",
  "password",
  "secret",
]);

/** Reads a level word in any case (`warn` and `critical` too). Throws on any other word, naming those that are known. */
export function parseLogLevel(text: string): LogLevel {
  const level = levelAliases.get(text.trim().toUpperCase());
  if (level === undefined) throw new Error(`log level "${text}" is not known: use one of ${logLevels.join(", ")}`);
  return level;
}

export interface LoggerOptions {
  logger: string;
  /** Ours; default INFO. */
  level?: string | undefined;
  /** That of libraries; default: ours, INFO at least. */
  rootLevel?: string | undefined;
  destination?: DestinationStream;
}

/** One for all loggers of the process, so that lines keep their order. */
let standardOutput: DestinationStream | undefined;

const isOurs = (name: string) => name === "pallas" || name.startsWith("pallas.");

function pickRootLevel(level: LogLevel, rootLevel: string | undefined): LogLevel {
  if (rootLevel !== undefined) return parseLogLevel(rootLevel);
  return logLevels.indexOf(level) < logLevels.indexOf("INFO") ? "INFO" : level;
}

/**
 * A logger that writes to standard output, or to `destination`.
 * `log.child({ logger: "pallas.x" })` gives a child with a name of its own; other bindings are added to every line. A child
 * whose name does not begin with `pallas` speaks for a library, at `rootLevel`.
 */
export function createLogger(options: LoggerOptions): Logger {
  const level = parseLogLevel(options.level ?? "INFO");
  const libraryLevel = pinoLevels[pickRootLevel(level, options.rootLevel)];
  // pino writes a child's bindings after its parent's, which would put the key "logger" into one line twice.
  const names = new WeakMap<object, string>();
  const settings = {
    base: null,
    level: pinoLevels[level],
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: levelWords.get(label) ?? label.toUpperCase() }),
      log: renderFields,
    },
    // Errors are rendered by formatters.log under whatever key they come; pino's own serializer would print every property.
    serializers: { err: (value: unknown) => value },
    mixin: (_fields: object, _level: number, instance: Logger) => ({ logger: names.get(instance) }),
  };
  const root: Logger = pino(settings, options.destination ?? (standardOutput ??= createLogOutput()));
  names.set(root, options.logger);
  const createChild = root.child;
  Object.defineProperty(root, "child", {
    value: function child(this: Logger, bindings: Bindings, childOptions?: ChildLoggerOptions): Logger {
      const { logger: name, ...rest } = bindings;
      const ofLibrary = typeof name === "string" && !isOurs(name);
      const levels = ofLibrary ? { ...childOptions, level: libraryLevel } : childOptions;
      const created: Logger = createChild.bind(this)(renderFields(rest), levels);
      names.set(created, typeof name === "string" ? name : (names.get(this) ?? options.logger));
      return created;
    },
  });
  return root;
}

function renderFields(fields: Record<string, unknown>): Record<string, unknown> {
  const rendered: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (secretFields.has(key.toLowerCase())) rendered[key] = "[redacted]";
    else rendered[key] = value instanceof Error ? renderError(value) : value;
  }
  return rendered;
}
