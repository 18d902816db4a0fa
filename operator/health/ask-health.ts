// One question to an agent's admin port, on a connection of its own: agents come and go, so nothing is kept open to them.
// Follows no redirect and reads no more than a report can be long.
import { get, type IncomingMessage } from "node:http";
import { healthReportSchema, type HealthReport } from "../../crds/health.ts";

export const healthBodyLimitBytes = 256 * 1024;

/** Rejects unless `agent` itself answers 200 with a report; with the signal's reason when that is aborted first. */
export async function askHealth(url: string, agent: string, signal: AbortSignal): Promise<HealthReport> {
  try {
    const response = await open(url, signal);
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`expected 200 from ${url}, found ${response.statusCode}`);
    }
    const parsed = healthReportSchema.safeParse(JSON.parse(await readBody(response, url)));
    if (!parsed.success) throw new Error(`expected a health report from ${url}, found another shape`);
    // An address that was an agent's can be another's before the cache knows.
    if (parsed.data.agent !== agent) {
      throw new Error(`expected agent "${agent}" at ${url}, found "${parsed.data.agent}"`);
    }
    return parsed.data;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyntaxError) throw new Error(`expected JSON from ${url}`, { cause: error });
    throw error;
  }
}

const open = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { signal, agent: false, headers: { accept: "application/json" } }, resolve).on("error", reject);
  });

async function readBody(response: IncomingMessage, url: string): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    sizeBytes += bytes.byteLength;
    // Leaving the loop closes the connection.
    if (sizeBytes > healthBodyLimitBytes) {
      throw new Error(`expected at most ${healthBodyLimitBytes} bytes from ${url}, found more`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
