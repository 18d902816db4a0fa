// The agent's own token for its gateway, which the kubelet renews while the agent runs: read anew for each request. No other server is
// ever sent it.
import { readFile } from "node:fs/promises";

/** Reads the token at `path`. Rejects with a sentence where there is none. */
export const createReadGatewayToken = (path: string | undefined) => async (): Promise<string> => {
  if (path === undefined) throw new Error("this agent was given no token for its gateway");
  const token = await readFile(path, "utf8").then(
    (text) => text.trim(),
    (cause: unknown) => {
      throw new Error(`the agent's token for its gateway cannot be read from ${path}`, { cause });
    },
  );
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(`expected a token for the agent's gateway in ${path}, found none that a header can hold`);
  }
  return token;
};
