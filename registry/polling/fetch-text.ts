// One GET to an agent's admin port with a limit on what is read; follows no redirect, since a pod has no reason to
// send us elsewhere.

export const scrapeBodyLimitBytes = 2 * 1024 * 1024;

/** The body of a 200 answer. Rejects on any other status, on a body over the limit, and when the signal aborts. */
export async function fetchText(
  url: string,
  { signal, accept, limitBytes }: { signal: AbortSignal; accept: string; limitBytes: number },
): Promise<string> {
  const response = await fetch(url, { signal, redirect: "error", headers: { accept } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url}: expected 200, found ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw new Error(`${url}: the body is over the limit of ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
