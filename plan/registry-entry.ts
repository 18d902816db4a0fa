// How an agent is given the registry of its gateway: as a server of that name, where the instance has no server that is called so.
// Which tools the entry lets through is the gateway's to say, by names as it has them: `{server}__{tool}`. Pure.
import type { PallasInstance } from "../crds/instance.ts";
import { registryServerName } from "../crds/names.ts";
import type { RunServer } from "../crds/run-config.ts";
import type { PeerUrls } from "./urls.ts";

interface Around {
  instance: PallasInstance;
  /** By the names that agents refer to. */
  servers?: { readonly sound: ReadonlyMap<string, unknown>; readonly faulty: ReadonlyMap<string, unknown> };
}

/** Whether an agent's entry of this name is the gateway's registry, whether or not there is a gateway. */
export const isRegistryEntry = (name: string, { instance, servers }: Around): boolean =>
  name === registryServerName &&
  instance.spec.servers?.some((inline) => inline.name === name) !== true &&
  servers?.sound.has(name) !== true &&
  servers?.faulty.has(name) !== true;

/** Of its own actions; how long a tool may take that is called through it is said by the tool's server. */
const timeoutMs = 60_000;

/** The entry's rules are not in it: a change of them rolls no pods. */
export const renderRegistryEntry = (instance: PallasInstance, urls: PeerUrls): RunServer => ({
  name: registryServerName,
  url: urls.registry(instance),
  prefix: registryServerName,
  headers: [],
  forwardInboundAuth: false,
  // Its tool says how it is used.
  instructions: false,
  timeoutMs,
  allow: [],
  deny: [],
  registry: true,
});
