// What `pallas up` asks of its processes over their admin port: whether they are ready, and how they are.
import { setTimeout as delay } from "node:timers/promises";
import { healthReportSchema, type HealthReport } from "../../crds/health.ts";
import { reasonOf } from "../manifests/find-files.ts";

const probeTimeoutMs = 2_000;
const healthTimeoutMs = 10_000;
/** Time between two looks at a process's health. */
const healthIntervalMs = 15_000;

/** Undefined when ready, else why not. */
export async function observeReadiness(adminUrl: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(`${adminUrl}/readyz`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]),
    });
    if (response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const body: unknown = await response.json();
    const reason: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "reason") : undefined;
    return typeof reason === "string" ? reason : `/readyz answers ${response.status}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return `/readyz does not answer (${reasonOf(cause)})`;
  }
}

async function observeHealth(adminUrl: string, signal: AbortSignal): Promise<HealthReport | "unreachable"> {
  try {
    const response = await fetch(`${adminUrl}/health`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(healthTimeoutMs)]),
    });
    return healthReportSchema.parse(await response.json());
  } catch {
    return "unreachable"; // whatever the reason: it cannot be asked, and the next look is soon (HLT-6)
  }
}

/** Looks at a process's health again and again, until the signal. */
export async function pollHealth(
  adminUrl: string,
  onHealth: (health: HealthReport | "unreachable") => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const health = await observeHealth(adminUrl, signal);
    if (signal.aborted) return;
    onHealth(health);
    await delay(healthIntervalMs, undefined, { signal }).catch(() => undefined);
  }
}
