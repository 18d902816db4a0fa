import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readEnvironment } from "./environment.ts";
import { createLogger, parseLogLevel } from "./log.ts";
import { logVariables } from "./log-variables.ts";

function capture(level?: string) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger(
    level === undefined ? { logger: "pallas", destination } : { logger: "pallas", level, destination },
  );
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? "{}");
  return { log, lines, last };
}

describe("LOG-1 JSON lines", () => {
  it("carry time, level, logger, message and the fields", () => {
    const { log, lines, last } = capture();
    log.info({ agent: "research", reason: "Ready" }, "agent ready");
    expect(last()).toEqual({
      time: expect.any(String),
      level: "INFO",
      logger: "pallas",
      message: "agent ready",
      agent: "research",
      reason: "Ready",
    });
    expect(last()["time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(lines[0]?.endsWith("}\n")).toBe(true);
  });

  it("name the child's logger once, and inherit it further down", () => {
    const { log, lines, last } = capture();
    const child = log.child({ logger: "pallas.forward", server: "argos" });
    child.child({ requestId: "7" }).warn("call failed");
    expect(last()).toMatchObject({ logger: "pallas.forward", server: "argos", requestId: "7", level: "WARNING" });
    expect(lines[0]?.match(/"logger"/g)).toHaveLength(1);
    log.info("parent keeps its name");
    expect(last()["logger"]).toBe("pallas");
  });

  it("stop below the level, whose words come in any case", () => {
    const { log, lines } = capture("warning");
    log.info("quiet");
    log.warn("loud");
    expect(lines).toHaveLength(1);
    expect(parseLogLevel(" critical ")).toBe("FATAL");
    expect(() => parseLogLevel("LOUD")).toThrow(/"LOUD" is not known: use one of TRACE, DEBUG, INFO/);
  });
});

describe("LOG-1 the level of libraries", () => {
  const levels = { trace: "TRACE", debug: "DEBUG", info: "INFO", warn: "WARNING", error: "ERROR" } as const;
  /** The lowest level that a library's logger writes. */
  function lowest(options: { level?: string; rootLevel?: string }) {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const log = createLogger({ logger: "pallas.agent", ...options, destination }).child({ logger: "library" });
    for (const method of ["trace", "debug", "info", "warn", "error"] as const) log[method](levels[method]);
    return lines[0]?.["level"];
  }

  it.each([
    [{}, "INFO"],
    [{ level: "DEBUG" }, "INFO"],
    [{ level: "error" }, "ERROR"],
    [{ level: "ERROR", rootLevel: "warning" }, "WARNING"],
    [{ rootLevel: "trace" }, "TRACE"],
  ])("for %j is %s", (options, level) => expect(lowest(options)).toBe(level));

  it("is read by all programs from PALLAS_ROOT_LOG_LEVEL, in any case; an unknown word is a problem that names those known", () => {
    const schema = z.object(logVariables);
    const env = { PALLAS_LOG_LEVEL: "debug", PALLAS_ROOT_LOG_LEVEL: "Critical" };
    expect(readEnvironment(schema, env)).toEqual({ PALLAS_LOG_LEVEL: "DEBUG", PALLAS_ROOT_LOG_LEVEL: "FATAL" });
    expect(() => readEnvironment(schema, { PALLAS_ROOT_LOG_LEVEL: "LOUD" })).toThrow(
      /PALLAS_ROOT_LOG_LEVEL is "LOUD": log level "LOUD" is not known: use one of TRACE/,
    );
  });
});

describe("BRR-4 log lines hold no secrets", () => {
  it("keeps of an error only its type, texts, code and causes", () => {
    const { log, lines, last } = capture();
    const cause = Object.assign(new TypeError("connect failed"), {
      code: "ECONNREFUSED",
      requestBodyValues: { prompt: "s3cret-prompt" },
    });
    const error = Object.assign(new Error("call failed", { cause }), {
      headers: { authorization: "s3cret-token" },
      status: 502,
    });
    log.error({ err: error, other: error }, "model call failed");
    expect(lines[0]).not.toContain("s3cret");
    expect(last()).toMatchObject({
      err: { type: "Error", message: "call failed", status: 502, cause: { type: "TypeError", code: "ECONNREFUSED" } },
      other: { type: "Error", message: "call failed" },
    });
    expect(last()["err"]).toHaveProperty("stack", expect.stringContaining("log.test.ts"));
  });

  it.each([
    ["bearer token", "refused: Authorization: Bearer s3cret-s3cret-s3cret"],
    ["URL credentials", "cannot reach https://user:s3cret@example.com/x"],
    ["key in a query", "GET https://example.com/x?api_key=s3cret&y=1 gave 401"],
  ])("masks a %s in an error's text and stack", (_name, text) => {
    const { log, lines } = capture();
    log.error({ err: new Error(text) }, "failed");
    expect(lines[0]).not.toContain("s3cret");
    expect(lines[0]).toContain("[redacted]");
  });

  it("replaces header-like fields, on children too", () => {
    const { log, lines } = capture();
    log.child({ token: "s3cret" }).info({ headers: { a: "s3cret" }, Authorization: "s3cret" }, "request");
    expect(lines[0]).not.toContain("s3cret");
  });

  it("bounds an error's text and its chain of causes", () => {
    const { log, last } = capture();
    let error = new Error("x".repeat(10_000));
    for (let depth = 0; depth < 8; depth++) error = new Error(`level ${depth}`, { cause: error });
    log.error({ err: error }, "failed");
    const depths = JSON.stringify(last()["err"]).match(/"cause"/g);
    expect(depths).toHaveLength(5);
    log.error({ err: new Error("y".repeat(8_192)) }, "at the limit");
    expect(last()).toHaveProperty("err.message", "y".repeat(8_192));
    log.error({ err: new Error("y".repeat(8_193)) }, "one past it");
    expect(last()).toHaveProperty("err.message", `${"y".repeat(8_192)}… (8193 characters)`);
  });
});
