// A model that follows a script: the only part of a run that tests fake, besides time.
import { renderTestConfig } from "./run-config.ts";
import type { Models } from "../model/models.ts";
import type { PreflightResult, ToolCallRequest, TurnRequest, TurnResult } from "../model/types.ts";

type Turn =
  | Partial<TurnResult>
  | ((request: TurnRequest, index: number) => Partial<TurnResult> | Promise<Partial<TurnResult>>);

export interface ScriptedModels extends Models {
  /** What the model was asked, in order. */
  readonly requests: TurnRequest[];
  preflightResult: PreflightResult;
}

/** Answers turn after turn by `script`, the last entry again and again. */
export function createScriptedModels(script: readonly Turn[], changes: { vision?: boolean } = {}): ScriptedModels {
  const requests: TurnRequest[] = [];
  const [model] = renderTestConfig().models;
  if (model === undefined) throw new Error("the test configuration has no model");
  const capabilities = { ...model.capabilities, vision: changes.vision ?? true };
  const models: ScriptedModels = {
    requests,
    preflightResult: { ok: true, checkedAt: "2026-01-01T00:00:00.000Z" },
    active: { ...model, capabilities },
    toolsLeftOut: [],
    preflight: async () => ({ [model.provider]: models.preflightResult }),
    async turn(request) {
      request.signal.throwIfAborted();
      const index = requests.push(request) - 1;
      const entry = script[Math.min(index, script.length - 1)] ?? {};
      const turn = typeof entry === "function" ? await entry(request, index) : entry;
      const toolCalls = turn.toolCalls ?? [];
      const stopReason = toolCalls.length > 0 ? "tool-calls" : "end";
      return { text: "", toolCalls, stopReason, usage: { input: 3, output: 2 }, model: model.ref, ...turn };
    },
  };
  return models;
}

export const callTool = (name: string, args: unknown = {}, id = `call-${name}`): ToolCallRequest => ({
  id,
  name,
  arguments: args,
});

/** A turn that ends only with the run. */
export function waitForAbort(request: TurnRequest): Promise<never> {
  return new Promise((_resolve, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
  });
}
