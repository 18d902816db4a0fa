// One question to an agent's admin port.
import { maxHealthReportBytes, parseHealthReport, type HealthReport } from "../../crds/health.ts";
import { fetchText } from "../../lib/outgoing/fetch-limited.ts";

/** Rejects unless `agent` itself answers 200 with a report; with the signal's reason when that is aborted first. */
export const askHealth = async (url: string, agent: string, signal: AbortSignal): Promise<HealthReport> =>
  parseHealthReport(
    await fetchText(url, { signal, accept: "application/json", maxBytes: maxHealthReportBytes }),
    agent,
  );
