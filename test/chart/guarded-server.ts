// A real API server with the chart's admission policies, and people of different rights who write under them.
import { dump } from "js-yaml";
import { resolve } from "node:path";
import { expect, vi } from "vitest";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { renderChart, root } from "./rendered-chart.ts";
import { valueSets } from "./value-sets.ts";

/** All may write our resources; "some" reads the Secrets s0 to s39, "all" reads every one, "none" reads none. */
export type Author = "some" | "all" | "none";
/** Secrets that the policies check one by one. */
export const most = 24;
export const namespace = "team";
/** The operator does not look after it. */
export const unwatched = "elsewhere";

export const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
export const secretKeyRef = (at: number) => ({ secretKeyRef: { name: `s${at}`, key: "k" } });
export const header = (at: number, secret: number) => ({ name: `H${at}`, valueFrom: secretKeyRef(secret) });

/** With authors of different rights, and the policies in one of two namespaces. */
export async function startGuardedServer(): Promise<ApiServer> {
  const crdPaths = ["pallasagents", "pallasinstances", "pallasservers", "pallasapprovals"].map((name) =>
    resolve(root, `crds/${name}.yaml`),
  );
  const api = await startApiServer({ controllers: true, crdPaths });
  const make = (...args: string[]) => api.kubectl([`--namespace=${namespace}`, "create", ...args]);
  await api.kubectl(["create", "namespace", namespace]);
  const resources = ["pallasinstances", "pallasinstances/status", "pallasagents", "pallasservers"]
    .map((each) => each.replace(/^\w+/, "$&.pallas.helu.ca"))
    .join(",");
  await make("role", "author", "--verb=get,create,patch,delete", `--resource=${resources}`);
  await make("role", "some", "--verb=get", "--resource=secrets", ...upTo(40).map((at) => `--resource-name=s${at}`));
  await make("role", "all", "--verb=get", "--resource=secrets");
  await make("rolebinding", "author", "--role=author", "--user=some", "--user=all", "--user=none");
  for (const user of ["some", "all"]) await make("rolebinding", user, `--role=${user}`, `--user=${user}`);
  await api.kubectl(["create", "namespace", unwatched]);
  await api.kubectl([
    "--namespace",
    unwatched,
    "create",
    "role",
    "author",
    "--verb=get,create,patch",
    `--resource=${resources}`,
  ]);
  await api.kubectl(["--namespace", unwatched, "create", "rolebinding", "author", "--role=author", "--user=none"]);
  const values = { ...valueSets["admission-policies"], watchNamespaces: [namespace] };
  const policies = (await renderChart(values)).filter(({ kind }) => kind.startsWith("ValidatingAdmission"));
  await api.kubectl(["apply", "--server-side", "--filename=-"], {
    input: policies.map((each) => dump(each)).join("---\n"),
  });
  return api;
}

/** Applies as an author; without one as the administrator. */
export function applyAs(
  api: ApiServer,
  author: Author | undefined,
  manifest: object,
  ...options: string[]
): Promise<string> {
  const args = ["apply", "--server-side", "--force-conflicts", "--filename=-", ...options];
  return api.kubectl(author === undefined ? args : [...args, `--as=${author}`], { input: JSON.stringify(manifest) });
}

/** Until a policy is in force, a moment after it is written; a probe that came too early leaves nothing. */
export const untilRefused = (api: ApiServer, manifest: object, words: string): Promise<void> =>
  vi.waitFor(() => expect(applyAs(api, "none", manifest, "--dry-run=server")).rejects.toThrow(words), {
    timeout: 20_000,
    interval: 200,
  });
