// Installs CRD files in a test API server and waits until their kinds can be used. `kubectl wait` is no help: it fails
// for a CRD that has no conditions yet, and after Established the first lists and watches may still answer 404 and 429.

import { setTimeout as delay } from "node:timers/promises";

import { callApi } from "./api-call.ts";
import type { ApiAccess } from "./api-call.ts";

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

const readyTimeoutMs = 30_000;
const pollMs = 100;

/** Resolves when every served version can be listed and watched; rejects, with the last answer, after 30 s. */
export async function installCrds(access: Omit<ApiAccess, "kubeconfigPath">, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const names = files.map((file) => `--filename=${file}`);
  const applied = JSON.parse(await access.kubectl(["apply", "--server-side", "--output=json", ...names]));
  const definitions: Definition[] = applied.kind === "List" ? applied.items : [applied];
  const paths = definitions.flatMap(({ spec: { group, names, versions } }) =>
    versions.filter(({ served }) => served).map(({ name }) => `/apis/${group}/${name}/${names.plural}`),
  );
  const deadline = Date.now() + readyTimeoutMs;
  await Promise.all(
    paths
      .flatMap((path) => [`${path}?limit=1`, `${path}?watch=1&timeoutSeconds=1`])
      .map(async (path) => {
        for (;;) {
          const { status, body } = await callApi(access, { path });
          if (status === 200) return;
          if (Date.now() > deadline) {
            throw new Error(`expected 200 from ${path} in ${readyTimeoutMs} ms, found ${body}`);
          }
          await delay(pollMs);
        }
      }),
  );
}
