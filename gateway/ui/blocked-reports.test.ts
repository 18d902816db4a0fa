import { expect, it } from "vitest";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createBlockedReports, maxReportBytes } from "./blocked-reports.ts";

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ logger: "test", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const clock = new ManualClock();
  let count = 0;
  const take = createBlockedReports({ onReport: () => (count += 1), log, clock });
  const send = (body: unknown, type = "application/csp-report") =>
    take(
      new Request("http://localhost/ui/csp-report", {
        method: "POST",
        headers: { "content-type": type },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  return { send, lines, clock, count: () => count };
}

const report = (directive: string, blocked: string) => ({
  "csp-report": { "effective-directive": directive, "blocked-uri": blocked, "script-sample": "secret" },
});

it("UI-1 tells of a report which rule and which origin, and nothing else that it holds", async () => {
  const { send, lines, count } = setUp();
  expect(await send(report("img-src", "https://evil.example/x?token=secret"))).toBe(204);
  expect(count()).toBe(1);
  expect(lines).toMatchObject([{ level: "WARNING", directive: "img-src", blocked: "https://evil.example", unsaid: 0 }]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

it("UI-1 takes both forms that browsers send, and of the new one only what is about the policy", async () => {
  const { send, lines, count } = setUp();
  const body = { effectiveDirective: "script-src-elem", blockedURL: "inline" };
  const reports = [
    { type: "deprecation", body: {} },
    { type: "csp-violation", body },
  ];
  expect(await send(reports, "application/reports+json")).toBe(204);
  expect(count()).toBe(1);
  expect(lines).toMatchObject([{ directive: "script-src-elem", blocked: "inline" }]);
});

it.each([
  ["a directive that is no word", report("script-src\nlevel=FATAL", "inline"), "other", "inline"],
  ["what is blocked and no origin", report("img-src", "data:text/html,secret"), "img-src", "other"],
  ["no strings", { "csp-report": { "effective-directive": 1 } }, "unknown", "unknown"],
])("UI-1 tells no text of a stranger: %s", async (_what, body, directive, blocked) => {
  const { send, lines } = setUp();
  expect(await send(body)).toBe(204);
  expect(lines).toMatchObject([{ directive, blocked }]);
});

it("UI-1 writes a line a minute and counts what it does not write", async () => {
  const { send, lines, clock, count } = setUp();
  for (let at = 0; at < 5; at += 1) await send(report("img-src", "inline"));
  await clock.advance(59_999);
  await send(report("img-src", "inline"));
  expect(lines).toHaveLength(1);
  await clock.advance(1);
  await send(report("img-src", "inline"));
  expect(lines).toMatchObject([{ unsaid: 0 }, { unsaid: 5 }]);
  expect(count()).toBe(7);
});

it("UI-1 takes a report of exactly the limit and none that is longer", async () => {
  const { send, count } = setUp();
  const text = JSON.stringify(report("img-src", "inline"));
  expect(await send(text.padEnd(maxReportBytes))).toBe(204);
  expect(await send(text.padEnd(maxReportBytes + 1))).toBe(413);
  expect(count()).toBe(1);
});

it.each([
  ["no JSON", "{", "application/csp-report", 400],
  ["no report", {}, "application/csp-report", 400],
  ["another type", report("img-src", "inline"), "text/plain", 415],
])("UI-1 refuses %s and writes nothing", async (_what, body, type, status) => {
  const { send, lines, count } = setUp();
  expect(await send(body, type)).toBe(status);
  expect([lines.length, count()]).toEqual([0, 0]);
});
