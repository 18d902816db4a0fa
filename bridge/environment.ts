// The environment variables of a bridge's process, read once at start, and the variables of its server's processes, which are
// given those below and nothing else of the bridge's own.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { BridgeValue } from "../crds/bridge-config.ts";
import { mounts } from "../crds/names.ts";
import { readEnvironment } from "../lib/process/environment.ts";
import { logVariables } from "../lib/process/log-variables.ts";
import type { ChildEnvironment } from "./stdio/child-process.ts";

const schema = z.object({
  PALLAS_BRIDGE_CONFIG: z.string().default(mounts.bridgeConfig).describe("the bridge's configuration, a JSON file"),
  PALLAS_BRIDGE_WORK: z.string().default(mounts.serverWork).describe("folder that the server may write to"),
  PALLAS_BRIDGE_INHERIT: z
    .enum(["none", "user"])
    .default("none")
    .describe(
      "user: HOME and the settings of npm, pip, uv and proxies are those of whoever started it, as on their machine",
    ),
  PALLAS_SECRETS_DIR: z.string().default(mounts.secrets).describe("folder of secrets, {secret}/{key}"),
  PALLAS_HOST: z.string().default("0.0.0.0").describe("address to listen on"),
  PALLAS_ADMIN_HOST: z.string().optional().describe("address of the admin port; default: PALLAS_HOST"),
  PALLAS_POD_IP: z.string().optional().describe("the pod's address, a further allowed Host"),
  ...logVariables,
  PALLAS_DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_600_000)
    .default(5_000)
    .describe("how long to serve on after SIGTERM, while endpoints lag"),
});

export type Environment = z.infer<typeof schema>;

/** Throws EnvironmentError, naming every faulty variable. */
export const parseEnvironment = (env: Readonly<Record<string, string | undefined>>): Environment =>
  readEnvironment(schema, env);

/** With `user`, of whoever started the bridge; compared without regard to case. */
const ofUser =
  /^(home|user|logname|shell|lang|lc_\w+|tz|tmpdir|xdg_\w+|npm_config_\w+|pip_\w+|uv_\w+|nvm_\w+|volta_\w+|(http|https|all|no)_proxy|node_extra_ca_certs|ssl_cert_file|ssl_cert_dir|requests_ca_bundle)$/i;

/** With `none`, how a pod reaches the outside, as its instance says. */
const ofPod = /^((http|https|no)_proxy|node_use_env_proxy|node_extra_ca_certs)$/i;

/** Folders below the work folder, by their variables. */
const workFolders = {
  HOME: "home",
  TMPDIR: "tmp",
  XDG_CACHE_HOME: "cache",
  XDG_CONFIG_HOME: "config",
  XDG_DATA_HOME: "data",
  XDG_STATE_HOME: "state",
  npm_config_cache: "npm",
  UV_CACHE_DIR: "uv-cache",
  UV_TOOL_DIR: "uv-tools",
} as const;

export const renderWorkFolders = (work: string): string[] =>
  Object.values(workFolders).map((folder) => join(work, folder));

/**
 * What every process of the server is given. Of the bridge's own variables it has PATH and those of proxies, and with `user`
 * those of its user.
 */
export function renderBaseEnvironment(
  { PALLAS_BRIDGE_WORK: work, PALLAS_BRIDGE_INHERIT: inherit }: Environment,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const { PATH = "/usr/local/bin:/usr/bin:/bin" } = own;
  const wanted = inherit === "none" ? ofPod : ofUser;
  const inherited = Object.entries(own).filter(([name, value]) => value !== undefined && wanted.test(name));
  if (inherit === "none") {
    const folders = Object.entries(workFolders).map(([name, folder]) => [name, join(work, folder)]);
    return { PATH, LANG: "C.UTF-8", ...Object.fromEntries([...inherited, ...folders]) };
  }
  return { PATH, ...Object.fromEntries(inherited) };
}

export interface SecretReader {
  /** The secret's value without the end of line. Rejects with a sentence that names it. */
  (secret: { readonly name: string; readonly key: string }): Promise<string>;
}

export const createSecretReader =
  (folder: string): SecretReader =>
  async ({ name, key }) => {
    try {
      return (await readFile(join(folder, name, key), "utf8")).trim();
    } catch (error) {
      throw new Error(`has no readable key "${key}" of Secret "${name}": create it beside the server`, {
        cause: error,
      });
    }
  };

/** The variables of one process, its secrets as they are now. Rejects with a sentence that goes on "the server's process …". */
export async function readChildEnvironment(
  base: Readonly<Record<string, string>>,
  values: readonly BridgeValue[],
  readSecret: SecretReader,
): Promise<ChildEnvironment> {
  const secrets: string[] = [];
  const given = await Promise.all(
    values.map(async (entry): Promise<[string, string]> => {
      if ("value" in entry) return [entry.name, entry.value];
      const secret = await readSecret(entry.secret);
      secrets.push(secret);
      return [entry.name, secret];
    }),
  );
  return { variables: { ...base, ...Object.fromEntries(given) }, secrets };
}
