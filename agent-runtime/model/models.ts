// All models of an agent behind one call per turn: the first that is available answers. State lives in the returned
// object, never in the module.
import type { RunConfig, RunModel, RunProvider } from "../../crds/run-config.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createAccessTokens, type AccessTokens } from "../access-tokens.ts";
import type { ReadSecret } from "../inputs/secrets.ts";
import { createOneModel, type OneModel } from "./one-model.ts";
import { openModelFetch } from "./outgoing.ts";
import { checkProvider } from "./preflight.ts";
import { ModelError, type ModelErrorKind, type PreflightResult } from "./types.ts";
import type { TokenUsage, TurnRequest, TurnResult } from "./types.ts";

/** One model call that was answered. */
export interface TurnEvent {
  /** Name without the provider. */
  model: string;
  provider: string;
  usage: TokenUsage;
}

export interface ModelsOptions {
  config: Pick<RunConfig, "models" | "providers">;
  /** Asked on every turn, so that a rotated key needs no restart. */
  readSecret: ReadSecret;
  /** For providers with OAuth; of its own when absent. */
  tokens?: AccessTokens;
  log: Logger;
  onTurn?: (event: TurnEvent) => void;
  clock?: Clock;
  /** In [0, 1); spreads retries. */
  random?: () => number;
  /** Speaks HTTP, in place of the guarded fetch. */
  fetch?: typeof globalThis.fetch;
}

export interface Models {
  /**
   * One turn of the first model that is available (CFG-2, CFG-3).
   * @throws ModelError; or the reason of the request's signal once that is aborted.
   */
  turn(request: TurnRequest): Promise<TurnResult>;
  /** Probes the providers in use, the active one first, in parallel; never rejects (HLT-4). */
  preflight(signal: AbortSignal): Promise<Record<string, PreflightResult>>;
  /** The agent's own model; what its provider publishes fills what was not declared (CFG-4). */
  readonly active: RunModel;
  /** Names of tools that the agent's own model was not offered in its latest turn, since its provider does not take them. */
  readonly toolsLeftOut: readonly string[];
}

/** With these another model may still answer; a request that is wrong in itself stays wrong. */
const unavailable: ReadonlySet<ModelErrorKind> = new Set([
  "auth",
  "not_found",
  "quota",
  "rate_limit",
  "overloaded",
  "network",
  "invalid_response",
]);

/** @throws Error when there is no model, or one names a provider that is not configured. */
export function createModels(options: ModelsOptions): Models {
  const { config, log, readSecret, clock = systemClock, random = Math.random } = options;
  const { fetch = openModelFetch(), tokens = createAccessTokens({ readSecret, clock }) } = options;
  const sources = { readSecret, tokens };
  const chain = config.models.map((model) => {
    const provider = findProvider(config, model);
    return createOneModel({ model, provider, sources, log, clock, random, fetch });
  });
  const [first] = chain;
  if (first === undefined) throw new Error("the run configuration names no model; it needs at least one");

  return {
    get active() {
      return first.current();
    },

    get toolsLeftOut() {
      return first.toolsLeftOut();
    },

    async turn(request) {
      const failures: ModelError[] = [];
      for (const model of chain) {
        request.signal.throwIfAborted();
        try {
          const result = await model.turn(request);
          options.onTurn?.({ model: result.model, provider: model.provider.name, usage: result.usage });
          return result;
        } catch (error) {
          request.signal.throwIfAborted();
          if (!(error instanceof ModelError)) throw error;
          failures.push(error);
          const { kind, status } = error;
          if (!unavailable.has(kind) || clock.now() >= (request.deadlineMs ?? Infinity)) break;
          log.warn({ model: model.current().ref, kind, status }, "the model is unavailable");
        }
      }
      throw summarise(failures);
    },

    async preflight(signal) {
      const used = Map.groupBy(chain, (model) => model.provider);
      const check = async (provider: RunProvider, group: OneModel[]): Promise<[string, PreflightResult]> => {
        const models = group.map((model) => model.current());
        const { result, published } = await checkProvider({ provider, models, sources, clock, signal, fetch });
        for (const model of group) model.publish(published.get(model.current().ref) ?? {});
        return [provider.name, result];
      };
      return Object.fromEntries(await Promise.all([...used].map(([provider, group]) => check(provider, group))));
    },
  };
}

function findProvider(config: ModelsOptions["config"], model: RunModel): RunProvider {
  const provider = config.providers.find((each) => each.name === model.provider);
  if (provider !== undefined) return provider;
  throw new Error(
    `model "${model.ref}" names provider "${model.provider}", which the run configuration does not have; add it`,
  );
}

/** What the agent's own model said leads; the fallbacks' failures follow. */
function summarise([first, ...others]: ModelError[]): ModelError {
  if (first === undefined) return new ModelError("no model is configured", { kind: "not_found", provider: "" });
  if (others.length === 0) return first;
  const message = `${first.message}; the fallbacks failed too: ${others.map((error) => error.message).join("; ")}`;
  const { kind, provider, retryAfterMs, status } = first;
  return new ModelError(message, {
    kind,
    provider,
    cause: first,
    ...defined({ retryAfterMs, status }),
  });
}
