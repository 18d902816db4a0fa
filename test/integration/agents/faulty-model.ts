// What a model says to a request by chance: mostly answers, some with tool calls, some late, and every fault of providers.
import { vendorErrors, type ScriptedReply } from "../../models/script.ts";
import type { Chance } from "./chance.ts";

const statuses = [204, 307, 400, 401, 404, 408, 413, 422, 429, 500, 502, 503, 529];

/** In a thousand requests. */
const weights = {
  answer: 740,
  tools: 100,
  nonsense: 20,
  "vendor error": 30,
  status: 20,
  cut: 15,
  "ends early": 10,
  stall: 5,
  garbage: 15,
  late: 30,
  "never ends": 5,
  silence: 10,
} as const;

/** A reply; `tools` are those there are. */
export function pickReply(chance: Chance, tools: readonly string[]): ScriptedReply {
  const one = <Value>(values: readonly Value[]) => values[Math.floor(chance.next() * values.length)];
  const afterFrames = Math.floor(chance.next() * 5);
  const text = ["one ", "two ", "three"];
  const call = () => ({ name: one(tools) ?? "", arguments: { note: "n" } });
  switch (chance.pick(weights)) {
    case "answer":
      return { text };
    case "tools":
      return { text, toolCalls: chance.next() < 0.5 ? [call()] : [call(), call()] };
    case "nonsense":
      return {
        toolCalls: [
          { name: "nobody", arguments: {} },
          { ...call(), arguments: '{"broken' },
        ],
      };
    case "vendor error":
      return { error: one(vendorErrors) ?? "quota", headers: { "retry-after": one(["0", "0.2", "5", "soon"]) ?? "" } };
    case "status":
      return { status: one(statuses) ?? 500, body: one(["", "<html>", "{ broken", [], { error: {} }]) };
    case "cut":
      return { text, cutAfterFrames: afterFrames };
    case "ends early":
      return { text, endAfterFrames: afterFrames };
    case "stall":
      return { text, stallAfterFrames: afterFrames };
    case "garbage":
      return { text, garbageAfterFrames: afterFrames };
    case "late":
      return { text, delayMs: Math.floor(chance.next() * 2_500) };
    case "never ends":
      return { text: Array.from({ length: 100 }, () => "on and on "), frameDelayMs: 100 };
    case "silence":
      return { silent: true };
  }
}
