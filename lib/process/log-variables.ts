// The variables of the log, which every program reads alike (LOG-1).
import * as z from "zod";
import { logLevels, parseLogLevel } from "./log.ts";

const level = z
  .string()
  .transform((text, context) => {
    try {
      return parseLogLevel(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  })
  .optional();

/** To be spread into a program's schema. */
export const logVariables = {
  PALLAS_LOG_LEVEL: level.describe(`log level of Pallas: ${logLevels.join(", ")}`),
  PALLAS_ROOT_LOG_LEVEL: level.describe("log level of libraries; default: that of Pallas, INFO at least"),
};
