// What `pallas up` asks of its processes over their admin port: whether they are ready, whether they live, how they are,
// and how many calls they still work on.
import { bridgeHealthSchema, type BridgeHealth } from "../../crds/bridge-config.ts";
import { maxHealthReportBytes, parseHealthReport, type HealthReport } from "../../crds/health.ts";
import { fetchLimited, fetchText } from "../../lib/outgoing/fetch-limited.ts";
import { reasonOf } from "../manifests/find-files.ts";

const probeTimeoutMs = 2_000;
/** Generous: on a busy machine a process that is slow must not be taken for one that hangs. */
const livenessTimeoutMs = 5_000;
const healthTimeoutMs = 10_000;

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
  maxBytes: maxHealthReportBytes,
});

/** Whether the process answers at all. */
export const observeLiveness = (adminUrl: string, signal: AbortSignal): Promise<boolean> =>
  fetchLimited(`${adminUrl}/livez`, requestFor(signal, livenessTimeoutMs)).then(
    ({ status }) => status === 200,
    () => false,
  );

export async function observeHealth(
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

/** What a bridge says of its server. */
export async function observeBridge(adminUrl: string, signal: AbortSignal): Promise<BridgeHealth | "unreachable"> {
  try {
    const text = await fetchText(`${adminUrl}/health`, requestFor(signal, healthTimeoutMs));
    return bridgeHealthSchema.parse(JSON.parse(text));
  } catch {
    return "unreachable"; // as above
  }
}
