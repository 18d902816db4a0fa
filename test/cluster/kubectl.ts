// Runs the kubectl that belongs to a test API server. It sees neither the user's kubeconfig nor the user's preferences
// or discovery cache, so a test behaves the same on every machine.

import { execFile } from "node:child_process";

interface KubectlOptions {
  /** The program's standard input, for `-f -`. */
  readonly input?: string;
  /** Default 60 s. */
  readonly timeoutMs?: number;
}

/** Resolves with standard output; rejects with standard error in the message when kubectl exits with another code than 0. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<string>;

export interface KubectlSetup {
  readonly kubectlPath: string;
  readonly kubeconfigPath: string;
  /** Where kubectl keeps what it discovered; may be shared by processes. */
  readonly cacheDir: string;
}

export function createKubectl({ kubectlPath, kubeconfigPath, cacheDir }: KubectlSetup): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfigPath, KUBECACHEDIR: cacheDir, KUBERC: "off" };
  return (args, { input, timeoutMs = 60_000 } = {}) =>
    new Promise((resolve, reject) => {
      const limits = { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(kubectlPath, [...args], { env, ...limits }, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const why = error.killed === true ? `no end within ${timeoutMs} ms or too much output` : `code ${error.code}`;
        reject(new Error(`kubectl ${args.join(" ")} failed (${why}): ${stderr.trim()}`, { cause: error }));
      });
      // kubectl may end before it has read all input; its exit code then says why, and EPIPE here would only hide it.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
    });
}
