// Providers whose client libraries are installed only where they are used: loaded when a configuration names them.
import type { RunProvider } from "../../crds/run-config.ts";
import { ModelError } from "./types.ts";

const optional: Partial<Record<RunProvider["kind"], { packageName: string; factory: string }>> = {
  google: { packageName: "@ai-sdk/google", factory: "createGoogleGenerativeAI" },
  bedrock: { packageName: "@ai-sdk/amazon-bedrock", factory: "createAmazonBedrock" },
  huggingface: { packageName: "@ai-sdk/huggingface", factory: "createHuggingFace" },
};

export type LoadPackage = (name: string) => Promise<unknown>;

// The name is a variable so that a bundler leaves the import alone.
const importPackage: LoadPackage = (name) => import(name);

/**
 * A model of the provider's client library, of a shape that the caller has to check.
 * @throws ModelError not_found naming the package to add.
 */
export async function loadOptionalModel(
  provider: RunProvider,
  model: string,
  settings: Record<string, unknown>,
  loadPackage: LoadPackage = importPackage,
): Promise<unknown> {
  const createProvider = await loadFactory(provider, loadPackage);
  const client: unknown = createProvider(settings);
  return typeof client === "function" ? Reflect.apply(client, undefined, [model]) : undefined;
}

/** Whether the kind needs a package of its own; throws like loadOptionalModel when it is not there. */
export async function checkOptionalPackage(
  provider: RunProvider,
  loadPackage: LoadPackage = importPackage,
): Promise<void> {
  await loadFactory(provider, loadPackage);
}

async function loadFactory(provider: RunProvider, loadPackage: LoadPackage): Promise<(settings: unknown) => unknown> {
  const { packageName, factory } = optional[provider.kind] ?? { packageName: provider.kind, factory: "" };
  let module: unknown;
  try {
    module = await loadPackage(packageName);
  } catch (cause) {
    throw missing(provider, `kind ${provider.kind} needs the package ${packageName}; add it to the image`, cause);
  }
  const found: unknown = typeof module === "object" && module !== null ? Reflect.get(module, factory) : undefined;
  if (typeof found !== "function") {
    throw missing(provider, `the package ${packageName} has no ${factory}; install a version that has it`);
  }
  return (settings) => Reflect.apply(found, undefined, [settings]);
}

const missing = (provider: RunProvider, text: string, cause?: unknown) =>
  new ModelError(`${provider.name}: ${text}`, { kind: "not_found", provider: provider.name, cause });
