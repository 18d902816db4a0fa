// Reports of browsers that the page's policy kept it from something, in both forms that they send. Anybody may send one, so that
// all of them are counted, one a minute is a line of the log, and of a report nothing is told but which rule and which origin.
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";

/** Inclusive. */
export const maxReportBytes = 8 * 1024;
const quietMs = 60_000;
const maxReportsInBody = 32;
const mediaTypes = ["application/csp-report", "application/reports+json", "application/json"];

export interface BlockedReportsParts {
  onReport: () => void;
  log: Logger;
  clock: Clock;
}

interface Blocked {
  directive: string;
  blocked: string;
}

/** Takes a request with a report. */
export function createBlockedReports({
  onReport,
  log,
  clock,
}: BlockedReportsParts): (request: Request) => Promise<204 | 400 | 413 | 415> {
  let quietUntilMs = -Infinity;
  let unsaid = 0;
  const tell = (report: Blocked) => {
    onReport();
    if (clock.now() < quietUntilMs) return void (unsaid += 1);
    quietUntilMs = clock.now() + quietMs;
    log.warn({ ...report, unsaid }, "a browser kept the dashboard from something");
    unsaid = 0;
  };
  return async (request) => {
    const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (!mediaTypes.includes(type)) return 415;
    const text = await readText(request);
    if (typeof text === "number") return text;
    const reports = parseReports(text);
    if (reports === undefined) return 400;
    reports.slice(0, maxReportsInBody).forEach(tell);
    return 204;
  };
}

async function readText({ headers, body }: Request): Promise<string | 400 | 413> {
  if (Number(headers.get("content-length") ?? 0) > maxReportBytes) return 413;
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  try {
    for await (const chunk of body ?? []) {
      receivedBytes += chunk.byteLength;
      if (receivedBytes > maxReportBytes) return 413;
      chunks.push(chunk);
    }
  } catch {
    return 400;
  }
  return Buffer.concat(chunks, receivedBytes).toString();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined where it is neither form. */
function parseReports(text: string): Blocked[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) {
    return value.flatMap((each: unknown) =>
      isObject(each) && each["type"] === "csp-violation" && isObject(each["body"])
        ? [toBlocked(each["body"]["effectiveDirective"], each["body"]["blockedURL"])]
        : [],
    );
  }
  const report = isObject(value) ? value["csp-report"] : undefined;
  if (!isObject(report)) return undefined;
  return [toBlocked(report["effective-directive"] ?? report["violated-directive"], report["blocked-uri"])];
}

/** A word such as `script-src` or `inline`, or an origin; never a path or a query, which may hold anything. */
function toBlocked(directive: unknown, blocked: unknown): Blocked {
  return { directive: toWord(directive), blocked: toWord(blocked) };
}

function toWord(value: unknown): string {
  if (typeof value !== "string") return "unknown";
  if (/^[a-z-]{1,40}$/.test(value)) return value;
  const origin = URL.parse(value)?.origin ?? "null";
  return origin === "null" || origin.length > 200 ? "other" : origin;
}
