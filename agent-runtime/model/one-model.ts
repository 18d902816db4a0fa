// One model of one provider: fits requests to it, tries again where that helps, and remembers what it learned about the model:
// what it refuses, what its provider publishes of it, and what was already warned of. Knows no other model.
import type { ModelCapabilities, RunModel, RunProvider } from "../../crds/run-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { readAccess, type ReadSecret } from "./access.ts";
import type { RequestFit } from "./ai-sdk.ts";
import { builtInTurn, isBuiltIn } from "./built-in.ts";
import { createToolFitting, renderLeftOut, type LeftOut } from "./fit-tools.ts";
import { createLearned, learn, type ThisTime } from "./learned.ts";
import { withRetries } from "./retry.ts";
import { outputLimit } from "./sampling.ts";
import { ModelError, type TurnRequest, type TurnResult } from "./types.ts";
import { observeVendor } from "./vendor-rules.ts";

/** Warnings kept apart per model; a client library that varies its words must not fill the memory. */
export const notesLimit = 100;
/** Requests of one turn that are made otherwise than one before, each time for another reason. */
const fitsMax = 40;
/** Tools whose leaving out is told apart. */
const leftOutNotesMax = 1_000;
/** Too low by far for a token, so that what is estimated is never less than what a provider counts. */
const charactersPerToken = 2;
const imageTokens = 2_000;

export interface OneModelOptions {
  model: RunModel;
  provider: RunProvider;
  readSecret: ReadSecret;
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
  /** @throws ModelError, or the reason of the request's signal. */
  turn(request: TurnRequest): Promise<TurnResult>;
}

export function createOneModel(options: OneModelOptions): OneModel {
  const { provider, clock, fetch } = options;
  const log = options.log.child({ model: options.model.ref, provider: provider.name });
  const learned = createLearned();
  const fitTools = createToolFitting(provider.kind);
  const notes = new Set<string>();
  const toldLeftOut = new Set<string>();
  // Anthropic wants a limit; a client library has one of its own for it.
  const mayOmitLimit = provider.kind !== "anthropic";
  let model = options.model;

  const publish = (capabilities: Partial<ModelCapabilities>) => {
    if (!model.capabilitiesDeclared) model = { ...model, capabilities: { ...model.capabilities, ...capabilities } };
  };

  const onNote = (note: string) => {
    if (notes.has(note) || notes.size >= notesLimit) return;
    notes.add(note);
    log.warn({ note }, "a request setting is not sent as asked");
  };

  const tellLeftOut = ({ tool, reason }: LeftOut) => {
    const { server, tool: name } = tool.source ?? { server: "", tool: tool.name };
    const key = `${tool.name} ${reason}`;
    if (toldLeftOut.has(key) || toldLeftOut.size >= leftOutNotesMax) return;
    toldLeftOut.add(key);
    log.warn({ server, tool: name, reason }, "a tool is not offered to the model");
  };

  /** The limit of an answer: what was asked for, and no more than the model was seen to take. */
  function limitOutput(request: TurnRequest, thisTime: ThisTime): number | undefined {
    if (thisTime.unlimited === true || learned.parameters.has("outputLimit")) return undefined;
    const asked = Math.min(outputLimit(model, request.settings), learned.outputMax ?? Infinity);
    if (thisTime.outputMax !== undefined) return Math.min(asked, thisTime.outputMax);
    const { windowTokens } = learned;
    if (windowTokens === undefined || asked + estimateInput(request) <= windowTokens) return asked;
    return mayOmitLimit ? undefined : Math.max(1, Math.min(asked, windowTokens - estimateInput(request)));
  }

  function fit(request: TurnRequest, thisTime: ThisTime): RequestFit {
    const rules = { ...observeVendor(provider, model), ...learned.rules };
    const { offered, leftOut } = fitTools(request.tools, { ...rules, refused: learned.tools });
    for (const each of leftOut) tellLeftOut(each);
    const refused = new Set(learned.parameters);
    // Claude wants the thinking of a turn with tools back where it is to think again.
    if (thisTime.plainReplay === true) refused.add("effort");
    return {
      tools: offered,
      systemNote: renderLeftOut(leftOut),
      rules,
      refused,
      outputTokens: limitOutput(request, thisTime),
      plainReplay: thisTime.plainReplay === true,
    };
  }

  /** One try, plus one more for each thing that the model turns out to refuse (CFG-3, AGT-15). */
  async function attempt(request: TurnRequest): Promise<TurnResult> {
    if (isBuiltIn(provider.kind)) {
      const turn = await builtInTurn(provider.kind, request, model, clock);
      request.onText?.(turn.text, 0);
      return turn;
    }
    // The client libraries are a quarter of the program: loaded with the first turn that needs them.
    const { streamTurn } = await import("./ai-sdk.ts");
    const thisTime: ThisTime = {};
    for (let tries = 1; ; tries += 1) {
      const access = await readAccess(provider, options.readSecret, request.bearer);
      const fitted = fit(request, thisTime);
      try {
        return await streamTurn({ provider, model, access, request, fit: fitted, clock, onNote, fetch });
      } catch (error) {
        const { rules, outputTokens, refused } = fitted;
        const tools = fitted.tools.map(({ name }) => name);
        const sent = { settings: request.settings, tools, outputTokens, mayOmitLimit, rules, refused };
        const lesson = tries < fitsMax ? learn(error, sent, learned, thisTime) : undefined;
        const windowTokens = error instanceof ModelError ? (error.windowTokens ?? learned.windowTokens) : undefined;
        if (windowTokens !== undefined) publish({ contextWindow: windowTokens });
        if (lesson === undefined) throw error;
        log.warn(lesson.fields, lesson.message);
      }
    }
  }

  return {
    provider,
    current: () => model,
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

/** More than a provider counts, rather than less. */
function estimateInput({ system, messages, tools }: TurnRequest): number {
  let images = 0;
  const text = JSON.stringify([system, tools, messages], (key, value: unknown) => {
    if (key !== "data" || typeof value !== "string") return value;
    images += 1;
    return "";
  });
  return Math.ceil(text.length / charactersPerToken) + images * imageTokens;
}
