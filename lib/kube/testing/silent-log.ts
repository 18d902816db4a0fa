// A logger for tests that are not about logs.
import { createLogger, type Logger } from "../../process/log.ts";

export function silentLog(): Logger {
  return createLogger({ logger: "test", level: "SILENT" });
}
