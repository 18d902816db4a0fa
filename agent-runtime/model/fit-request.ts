// One model's requests made to fit it: what is known of its vendor, what it has taught by refusals, and what of a request is left
// out and told for it. Holds the lessons of that model; makes no request itself.
import type { RunModel, RunProvider } from "../../crds/run-config.ts";
import type { Logger } from "../../lib/process/log.ts";
import { findImageLimits } from "../image-data.ts";
import type { RequestFit } from "./ai-sdk.ts";
import { fitImages } from "./fit-images.ts";
import { createToolFitting, renderLeftOut, type LeftOut } from "./fit-tools.ts";
import { createLearned, learn, type ThisTime } from "./learned.ts";
import { outputLimit } from "./sampling.ts";
import type { TurnRequest } from "./types.ts";
import { observeVendor } from "./vendor-rules.ts";

/** Requests of one turn that are made otherwise than one before, each time for another reason. */
const maxFits = 40;
/** Tools whose leaving out is told apart. */
const maxLeftOutNotes = 1_000;
/** Too low by far for a token, so that what is estimated is never less than what a provider counts. */
const charactersPerToken = 2;
const imageTokens = 2_000;
/** Asked for at least, where a limit must be sent: an estimate that is too high must not shorten answers to nothing. */
const leastRoomTokens = 4_096;

/** One turn on its way to being answered. */
export interface Fitting {
  /** The next request. */
  fit(model: RunModel): RequestFit;
  /** Whether a request that was refused is worth another one, made otherwise. */
  learnFrom(error: unknown, sent: RequestFit): boolean;
}

export function createRequestFitting({ provider, log }: { provider: RunProvider; log: Logger }) {
  const learned = createLearned();
  const fitTools = createToolFitting(provider.kind);
  const imageLimits = findImageLimits(provider.name, [provider]);
  const toldLeftOut = new Set<string>();
  // Anthropic wants a limit; a client library has one of its own for it.
  const mayOmitLimit = provider.kind !== "anthropic";

  const tellLeftOut = ({ tool, reason }: LeftOut) => {
    const { server, tool: name } = tool.source ?? { server: "", tool: tool.name };
    const key = `${tool.name} ${reason}`;
    if (toldLeftOut.has(key) || toldLeftOut.size >= maxLeftOutNotes) return;
    toldLeftOut.add(key);
    log.warn({ server, tool: name, reason }, "a tool is not offered to the model");
  };

  /** The limit of an answer: what was asked for, and no more than the model was seen to take. */
  function limitOutput(asked: number | undefined, request: TurnRequest, thisTime: ThisTime): number | undefined {
    if (thisTime.unlimited === true || learned.parameters.has("outputLimit")) return undefined;
    if (thisTime.outputMax !== undefined) return Math.min(asked ?? Infinity, thisTime.outputMax);
    if (asked === undefined) return undefined;
    const { windowTokens } = learned;
    if (windowTokens === undefined) return asked;
    const rest = windowTokens - estimateInput(request);
    if (asked <= rest) return asked;
    return mayOmitLimit ? undefined : Math.min(asked, Math.max(rest, leastRoomTokens));
  }

  return {
    /** The window that its provider has named. */
    windowTokens: () => learned.windowTokens,

    begin(request: TurnRequest): Fitting {
      const thisTime: ThisTime = {};
      let tries = 0;
      return {
        fit(model) {
          tries += 1;
          const rules = { ...observeVendor(provider, model), ...learned.rules };
          const { offered, leftOut } = fitTools(request.tools, { ...rules, refused: learned.tools });
          for (const each of leftOut) tellLeftOut(each);
          const { maxImages } = rules;
          const { messages } = request;
          const { vision } = model.capabilities;
          const fitted = vision ? fitImages(messages, { limits: imageLimits, maxImages }) : messages;
          const plainReplay = thisTime.plainReplay === true;
          const refused = new Set(learned.parameters);
          // Claude wants the thinking of a turn with tools back where it is to think again.
          if (plainReplay) refused.add("effort");
          const wanted = outputLimit(model, request.settings, rules);
          const outputTokens = limitOutput(
            wanted && Math.min(wanted, learned.outputMax ?? Infinity),
            request,
            thisTime,
          );
          return {
            ...{ tools: offered, leftOut, systemNote: renderLeftOut(leftOut), messages: fitted },
            ...{ rules, refused, outputTokens, plainReplay },
          };
        },
        learnFrom(error, { rules, outputTokens, refused, tools }) {
          if (tries >= maxFits) return false;
          const names = tools.map(({ name }) => name);
          const sent = { settings: request.settings, tools: names, outputTokens, mayOmitLimit, rules, refused };
          const lesson = learn(error, sent, learned, thisTime);
          if (lesson !== undefined) log.warn(lesson.fields, lesson.message);
          return lesson !== undefined;
        },
      };
    },
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
