// The headers of requests to one server or sub-agent: configured ones, read from secrets each time, and the caller's token
// where the server asks for it and nothing configured takes its place (BRR-1).
import type { RunHeader, SecretKey } from "../../crds/run-config.ts";

/** Reads a secret's current value; undefined when it is not there. */
export type ReadSecret = (secret: SecretKey) => Promise<string | undefined>;

/** Whether calls to it carry the caller's token. */
export const forwardsBearer = (target: { headers?: readonly RunHeader[]; forwardInboundAuth: boolean }): boolean =>
  target.forwardInboundAuth && !(target.headers ?? []).some(({ name }) => name.toLowerCase() === "authorization");

export const renderMissingSecret = ({ name, key }: SecretKey) =>
  `Secret "${name}" has no readable key "${key}": create it in the agent's namespace`;

/** A header's secret is not mounted, or nothing that a header can be. */
class SecretUnusable extends Error {
  override readonly name = "SecretUnusable";
}

/** The configured headers, and `Authorization: Bearer` when a token is given. Rejects with SecretUnusable. */
export async function observeHeaders(
  headers: readonly RunHeader[],
  readSecret: ReadSecret,
  bearer?: string,
): Promise<Record<string, string>> {
  const rendered: Record<string, string> = {};
  for (const header of headers) {
    rendered[header.name] = "value" in header ? header.value : await readPresent(header.secret, readSecret);
  }
  if (bearer !== undefined) rendered["Authorization"] = `Bearer ${bearer}`;
  return rendered;
}

async function readPresent(secret: SecretKey, readSecret: ReadSecret): Promise<string> {
  const value = await readSecret(secret);
  if (value === undefined) throw new SecretUnusable(renderMissingSecret(secret));
  if (!/^[\x20-\x7e]+$/.test(value)) {
    const { name, key } = secret;
    throw new SecretUnusable(
      `Secret "${name}" key "${key}" is empty or holds characters that no header has: write it again`,
    );
  }
  return value;
}
