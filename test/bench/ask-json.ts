// One request of a benchmark to a JSON API, which must succeed.

interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

const timeoutMs = 60_000;

/** The JSON of the answer. Throws unless it is a 2xx. */
export async function askJson(method: string, url: string, { headers, body }: Asked): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, accept: "application/json", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: expected 2xx, found ${answer.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
