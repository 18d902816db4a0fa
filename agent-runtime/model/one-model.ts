// One model of one provider: tries again where that helps, and remembers what it learned about the model: what it refuses
// (fit-request.ts), what its provider publishes of it, and what was already warned of. Knows no other model.
import type { ModelCapabilities, RunModel, RunProvider } from "../../crds/run-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { readAccess, type AccessSources } from "./access.ts";
import { builtInTurn, isBuiltIn } from "./built-in.ts";
import { createRequestFitting } from "./fit-request.ts";
import { withRetries } from "./retry.ts";
import { ModelError, type TurnRequest, type TurnResult } from "./types.ts";

/** Warnings kept apart per model; a client library that varies its words must not fill the memory. */
export const maxNotes = 100;

export interface OneModelOptions {
  model: RunModel;
  provider: RunProvider;
  sources: AccessSources;
  log: Logger;
  clock: Clock;
  random: () => number;
  /** Speaks HTTP. */
  fetch: typeof globalThis.fetch;
}

export interface OneModel {
  readonly provider: RunProvider;
  /** As configured; what its provider publishes fills what was not declared (CFG-4). */
  current(): RunModel;
  publish(capabilities: Partial<ModelCapabilities>): void;
  /** Names of tools that its latest turn was not offered. */
  toolsLeftOut(): readonly string[];
  /** @throws ModelError, or the reason of the request's signal. */
  turn(request: TurnRequest): Promise<TurnResult>;
}

export function createOneModel(options: OneModelOptions): OneModel {
  const { provider, clock, fetch } = options;
  const log = options.log.child({ model: options.model.ref, provider: provider.name });
  const fitting = createRequestFitting({ provider, log });
  const notes = new Set<string>();
  let model = options.model;
  let toolsLeftOut: readonly string[] = [];

  const publish = (capabilities: Partial<ModelCapabilities>) => {
    if (!model.capabilitiesDeclared) model = { ...model, capabilities: { ...model.capabilities, ...capabilities } };
  };

  const onNote = (note: string) => {
    if (notes.has(note) || notes.size >= maxNotes) return;
    notes.add(note);
    log.warn({ note }, "a request setting is not sent as asked");
  };

  /** One try, plus one more for each thing that the model turns out to refuse (CFG-3, AGT-15). */
  async function attempt(request: TurnRequest): Promise<TurnResult> {
    if (isBuiltIn(provider.kind)) {
      const turn = await builtInTurn(provider.kind, request, model, clock);
      request.onText?.(turn.text, 0);
      return turn;
    }
    // The client libraries are a quarter of the program: loaded with the first turn that needs them.
    const { streamTurn } = await import("./ai-sdk.ts");
    const { fit, learnFrom } = fitting.begin(request);
    for (;;) {
      const access = await readAccess(provider, options.sources, request.bearer);
      const fitted = fit(model);
      try {
        const turn = await streamTurn({ provider, model, access, request, fit: fitted, clock, onNote, fetch });
        toolsLeftOut = fitted.leftOut.map(({ tool }) => tool.name);
        return toolsLeftOut.length === 0 ? turn : { ...turn, toolsLeftOut };
      } catch (error) {
        const isWorthIt = learnFrom(error, fitted);
        const windowTokens = error instanceof ModelError ? (error.windowTokens ?? fitting.windowTokens()) : undefined;
        if (windowTokens !== undefined) publish({ contextWindow: windowTokens });
        if (!isWorthIt) throw error;
      }
    }
  }

  return {
    provider,
    current: () => model,
    toolsLeftOut: () => toolsLeftOut,
    publish,
    turn: (request) =>
      withRetries(() => attempt(request), {
        clock,
        random: options.random,
        signal: request.signal,
        deadlineMs: request.deadlineMs,
        onRetry: ({ kind, status }, waitMs) =>
          log.warn({ kind, status, waitMs }, "the model call failed, trying again"),
      }),
  };
}
