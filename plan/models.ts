// Models by reference: `provider.model-name`, split at the first dot; the built-in providers stand alone.
import type { PallasAgent } from "../crds/agent.ts";
import { defaultCapabilities } from "../crds/catalogue.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { builtInProviders } from "../crds/references.ts";
import type { RunModel } from "../crds/run-config.ts";

export interface ModelRef {
  provider: string;
  name: string;
}

export function splitModel(ref: string): ModelRef {
  const dot = ref.indexOf(".");
  return dot === -1 ? { provider: ref, name: ref } : { provider: ref.slice(0, dot), name: ref.slice(dot + 1) };
}

export const isBuiltIn = (provider: string): provider is (typeof builtInProviders)[number] =>
  builtInProviders.some((name) => name === provider);

/** The model an agent uses, as written, or undefined when neither it nor its instance names one. */
export const modelOf = (agent: PallasAgent, instance: PallasInstance): string | undefined =>
  agent.spec.model ?? instance.spec.defaultModel;

/** What is declared of the agent's model: its own over the instance's, the latter only for the instance's model. */
function declaredCapabilities(agent: PallasAgent, instance: PallasInstance) {
  const isInstanceModel = modelOf(agent, instance) === instance.spec.defaultModel;
  const shared = isInstanceModel ? instance.spec.modelCapabilities : undefined;
  return { ...shared, ...agent.spec.modelCapabilities };
}

/** The agent's model and its fallbacks, in order and without repetition. */
export function resolveModels(agent: PallasAgent, instance: PallasInstance): RunModel[] {
  const main = modelOf(agent, instance);
  const refs = new Set([...(main === undefined ? [] : [main]), ...(agent.spec.fallbackModels ?? [])]);
  return [...refs].map((ref) => {
    let declared: Partial<RunModel["capabilities"]> = {};
    if (ref === main) declared = withoutUndefined(declaredCapabilities(agent, instance));
    else if (ref === instance.spec.defaultModel) declared = withoutUndefined(instance.spec.modelCapabilities ?? {});
    return {
      ref,
      ...splitModel(ref),
      capabilities: { ...defaultCapabilities, ...declared },
      // How reasoning goes back says nothing of sizes.
      capabilitiesDeclared: Object.keys(declared).some((name) => name !== "reasoningContent"),
    };
  });
}

type Capabilities = RunModel["capabilities"];
const withoutUndefined = (declared: {
  [Key in keyof Capabilities]?: Capabilities[Key] | undefined;
}): Partial<Capabilities> => Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined));
