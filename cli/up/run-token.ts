// The tokens of a run, made anew each time: its user's, an admin's at every gateway of it; one for each agent behind a gateway, which
// is that agent there; and each gateway's own, for its agents. They are in files for this user alone, beside the tables of
// hashes that gateways read, and all of them go when the run ends. They are in no log.
import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accountSubject, agentsAudience, gatewayName, tokenNames } from "../../crds/names.ts";
import { reasonOf } from "../manifests/find-files.ts";
import { agentTokens, runTokens, type DesiredGateway } from "./desired-gateways.ts";
import type { RunSigner } from "./run-signer.ts";
import type { StateFolder } from "./state-folder.ts";

/** Beside the secrets of the namespaces, whose folders begin with an underscore. */
const tokenPath = (stateFolder: string): string => join(stateFolder, "secrets", "run-token");

const makeToken = (): string => randomBytes(32).toString("base64url");
const renderTable = (token: string) => Buffer.from(`sha256:${createHash("sha256").update(token).digest("hex")}\n`);

type Folder = Pick<StateFolder, "path" | "secrets" | "token">;

export class RunTokens {
  readonly #signer: Pick<RunSigner, "sign">;
  readonly #own = makeToken();
  /** By keys of agents and gateways: what they read stays the same for as long as they are wanted. */
  #kept: ReadonlyMap<string, string> = new Map();

  constructor(signer: Pick<RunSigner, "sign">) {
    this.#signer = signer;
  }

  /** Of its user. Whoever holds it is an admin at each gateway of the run. */
  get own(): string {
    return this.#own;
  }

  /** The files of a run with these gateways; none where there are none. */
  async renderFiles(gateways: Iterable<DesiredGateway>, folder: Folder): Promise<Map<string, Buffer>> {
    const files = new Map<string, Buffer>();
    const kept = new Map<string, string>();
    for (const { key, instance, agents } of gateways) {
      const { name, namespace } = instance.metadata;
      const tablePath = (table: { name: string; key: string }) =>
        join(folder.secrets(namespace), table.name, table.key);
      files.set(tablePath(runTokens), renderTable(this.#own));
      files.set(tokenPath(folder.path), Buffer.from(this.#own));
      const claims = {
        audience: agentsAudience(name, namespace),
        subject: accountSubject(namespace, gatewayName(name)),
      };
      const token = this.#kept.get(key) ?? (await this.#signer.sign(claims));
      kept.set(key, token);
      files.set(folder.token(key, tokenNames.agents), Buffer.from(token));
      for (const agent of agents) {
        const agentKey = `${namespace}/${agent}`;
        const ofAgent = this.#kept.get(agentKey) ?? makeToken();
        kept.set(agentKey, ofAgent);
        files.set(folder.token(agentKey, tokenNames.gateway), Buffer.from(ofAgent));
        files.set(tablePath(agentTokens(agent)), renderTable(ofAgent));
      }
    }
    this.#kept = kept;
    return files;
  }
}

/** Undefined when no run with a gateway keeps its state there. */
export async function readRunToken(stateFolder: string): Promise<string | undefined> {
  try {
    return await readFile(tokenPath(stateFolder), "utf8");
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
