// What `pallas up` asks of its processes over their admin port: whether they are ready, and how they are.
import { setTimeout as delay } from "node:timers/promises";
import { healthReportLimitBytes, parseHealthReport, type HealthReport } from "../../crds/health.ts";
import { fetchLimited, fetchText } from "../../lib/outgoing/fetch-limited.ts";
import { reasonOf } from "../manifests/find-files.ts";

const probeTimeoutMs = 2_000;
const healthTimeoutMs = 10_000;
/** Time between two looks at a process's health. */
const healthIntervalMs = 15_000;

/** Undefined when ready, else why not. */
export async function observeReadiness(adminUrl: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status, text } = await fetchLimited(`${adminUrl}/readyz`, requestFor(signal, probeTimeoutMs));
    if (status === 200) return undefined;
    const body: unknown = JSON.parse(text);
    const reason: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "reason") : undefined;
    return typeof reason === "string" ? reason : `/readyz answers ${status}`;
  } catch (error) {
    return `/readyz does not answer (${reasonOf(error)})`;
  }
}

const requestFor = (signal: AbortSignal, timeoutMs: number) => ({
  signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  accept: "application/json",
  limitBytes: healthReportLimitBytes,
});

async function observeHealth(
  agent: string,
  adminUrl: string,
  signal: AbortSignal,
): Promise<HealthReport | "unreachable"> {
  try {
    return parseHealthReport(await fetchText(`${adminUrl}/health`, requestFor(signal, healthTimeoutMs)), agent);
  } catch {
    return "unreachable"; // whatever the reason: it cannot be asked, and the next look is soon (HLT-6)
  }
}

/** Looks at an agent's health again and again, until the signal. */
export async function pollHealth(
  agent: string,
  adminUrl: string,
  onHealth: (health: HealthReport | "unreachable") => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const health = await observeHealth(agent, adminUrl, signal);
    if (signal.aborted) return;
    onHealth(health);
    await delay(healthIntervalMs, undefined, { signal }).catch(() => undefined);
  }
}
