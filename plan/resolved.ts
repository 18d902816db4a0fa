// An agent without problems and everything that is derived from it and its instance, each derived once: what renderers take,
// and all they take.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { LiveConfig, RunConfig, TokenSigner } from "../crds/run-config.ts";
import type { Neighbourhood } from "./resolve.ts";
import { hashRunConfig, renderLiveConfig, renderRunConfig } from "./run-config.ts";
import { isCalledDirectly } from "./server-address.ts";
import { effectiveSettings, type EffectiveSettings } from "./settings.ts";
import type { PeerUrls } from "./urls.ts";

export interface Resolved {
  readonly agent: PallasAgent;
  readonly instance: PallasInstance;
  readonly settings: EffectiveSettings;
  readonly config: RunConfig;
  /** Of the configuration: what an agent runs on is named by it. */
  readonly hash: string;
  readonly live: LiveConfig;
  /** Names of the agents that call this one, in alphabetical order. */
  readonly callers: readonly string[];
  /** Names of the PallasServers that it reaches through their bridges, in alphabetical order. */
  readonly bridges: readonly string[];
}

const bridgesOf = ({ spec }: PallasAgent, { instance, servers }: Neighbourhood): string[] =>
  (spec.servers ?? [])
    .flatMap(({ name }) => {
      if (instance.spec.servers?.some((inline) => inline.name === name)) return [];
      const server = servers?.sound.get(name);
      return server === undefined || isCalledDirectly(server.spec) ? [] : [server.metadata.name];
    })
    .toSorted();

/**
 * @param signer of the tokens of the instance's gateway, where it has one and that is known
 */
export function renderResolved(
  agent: PallasAgent,
  around: Neighbourhood,
  urls: PeerUrls,
  signer?: TokenSigner,
): Resolved {
  const settings = effectiveSettings(agent, around.instance);
  const config = renderRunConfig(agent, around, settings, urls);
  return {
    agent,
    instance: around.instance,
    settings,
    config,
    hash: hashRunConfig(config),
    live: renderLiveConfig(agent, around, urls, signer),
    bridges: bridgesOf(agent, around),
    callers: [...(around.callers.get(agent.metadata.name) ?? [])].toSorted(),
  };
}
