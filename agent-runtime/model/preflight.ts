// Whether a provider takes our key and knows the model (HLT-4). Only reads, never throws, and carries no user token.
import * as z from "zod";
import type { ModelCapabilities, RunModel, RunProvider } from "../../crds/run-config.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { baseUrlOf, readAccess, type Access, type AccessSources } from "./access.ts";
import { isBuiltIn } from "./built-in.ts";
import { findNetworkProblem } from "./errors.ts";
import { AnswerTooLarge } from "./answer-bounds.ts";
import { createProviderFetch, readText } from "./http.ts";
import { ModelError, type PreflightResult } from "./types.ts";

export const preflightTimeoutMs = 5_000;
const maxListBytes = 4 * 1024 * 1024;

export interface ProviderCheck {
  result: PreflightResult;
  /** What the provider says its models can do, by reference (CFG-4). */
  published: ReadonlyMap<string, Partial<ModelCapabilities>>;
}

interface CheckInput {
  provider: RunProvider;
  /** The models of this provider that are in use. */
  models: readonly RunModel[];
  sources: AccessSources;
  clock: Clock;
  signal: AbortSignal;
  /** Speaks HTTP. */
  fetch: typeof globalThis.fetch;
}

/** Probes one provider within five seconds. */
export async function checkProvider(input: CheckInput): Promise<ProviderCheck> {
  const published = new Map<string, Partial<ModelCapabilities>>();
  const timeout = new AbortController();
  const timer = input.clock.schedule(preflightTimeoutMs, () => timeout.abort());
  let detail: string | undefined;
  try {
    detail = await findProblem(input, AbortSignal.any([input.signal, timeout.signal]), published);
  } catch (error) {
    detail = timeout.signal.aborted
      ? `no answer within ${preflightTimeoutMs / 1000} s`
      : describe(error, input.provider);
  } finally {
    timer.cancel();
  }
  const checkedAt = renderTime(input.clock);
  return { result: detail === undefined ? { ok: true, checkedAt } : { ok: false, detail, checkedAt }, published };
}

async function findProblem(
  input: CheckInput,
  signal: AbortSignal,
  published: Map<string, Partial<ModelCapabilities>>,
): Promise<string | undefined> {
  const { provider, models } = input;
  if (isBuiltIn(provider.kind)) return undefined;
  const access = await readAccess(provider, input.sources, undefined);
  const probe: Probe = { provider, models, access, get: createGet(input, access, signal) };
  switch (provider.kind) {
    case "anthropic":
      return findModelProblem(probe, "/v1/models", "?limit=1", (model, text) =>
        published.set(model.ref, parseCapabilities(text)),
      );
    case "google":
      return findModelProblem(probe, "/models", "?pageSize=1");
    case "bedrock":
      return undefined; // Its lists are another service with rights of its own.
    default:
      return findListProblem(probe);
  }
}

interface Probe {
  provider: RunProvider;
  models: readonly RunModel[];
  access: Access;
  get: (path: string) => Promise<Answer>;
}

/** Asks for each model by its name. */
async function findModelProblem(
  { provider, models, access, get }: Probe,
  path: string,
  anyQuery: string,
  onModel?: (model: RunModel, text: string) => void,
): Promise<string | undefined> {
  if (!provider.requireListedModel) return problemOf(await get(`${path}${anyQuery}`), provider, access);
  for (const model of models) {
    const answer = await get(`${path}/${encodeURIComponent(model.name)}`);
    if (answer.status === 404) return renderNotFound(model.name);
    const problem = problemOf(answer, provider, access);
    if (problem !== undefined) return problem;
    if (answer.ok) onModel?.(model, answer.text);
  }
  return undefined;
}

/** Asks for the list of models and looks for ours. */
async function findListProblem({ provider, models, access, get }: Probe): Promise<string | undefined> {
  const answer = await get("/models");
  // A single-model server may have no list at all; that it answers is enough then.
  if (!provider.requireListedModel && answer.status === 404) return undefined;
  const problem = problemOf(answer, provider, access);
  if (problem !== undefined || !answer.ok || !provider.requireListedModel) return problem;
  const names = parseModelList(answer.text);
  if (names === undefined) return "GET /models answered with no list of models; check baseUrl";
  const unlisted = models.find(({ name }) => !names.has(name) && !names.has(withoutRoute(provider, name)));
  return unlisted === undefined ? undefined : renderNotFound(unlisted.name);
}

const renderNotFound = (model: string): string =>
  `model '${model}' not found; check the model's name and the provider's baseUrl`;

/** Hugging Face takes the inference provider behind a colon, and does not list it. */
const withoutRoute = ({ kind }: RunProvider, name: string) =>
  kind === "huggingface" ? (name.split(":")[0] ?? name) : name;

interface Answer {
  status: number;
  ok: boolean;
  text: string;
}

function createGet({ provider, fetch }: CheckInput, access: Access, signal: AbortSignal): Probe["get"] {
  const version: Record<string, string> = provider.kind === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  const { headers, renew } = access;
  const providerFetch = createProviderFetch({ fetch, headers, renew, signal, reads: "body", onBytes: () => undefined });
  return async (path) => {
    const response = await providerFetch(`${baseUrlOf(provider)}${path}`, { headers: version, signal });
    return { status: response.status, ok: response.ok, text: await readText(response, maxListBytes) };
  };
}

function problemOf({ status, ok }: Answer, provider: RunProvider, access: Access): string | undefined {
  if (ok) return undefined;
  // Google answers an unknown key with 400.
  if (status === 401 || status === 403 || (status === 400 && provider.kind === "google")) {
    // Where callers bring their own token, being asked for one is the right answer (BRR-3).
    return provider.forwardInboundAuth && access.credential === "none"
      ? undefined
      : `the key was refused (${status}); ${access.cure}`;
  }
  if (status >= 300 && status < 400) return `redirected (${status}); set baseUrl to the final address`;
  return `GET /models answered ${status}; check baseUrl`;
}

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

function parseModelList(text: string): ReadonlySet<string> | undefined {
  const parsed = modelList.safeParse(readJson(text));
  return parsed.success ? new Set(parsed.data.data.map((model) => model.id)) : undefined;
}

const supported = z.union([z.boolean(), z.object({ supported: z.boolean() }).transform((flag) => flag.supported)]);
const publishedModel = z.object({
  max_input_tokens: z.int().positive().optional().catch(undefined),
  max_tokens: z.int().positive().optional().catch(undefined),
  capabilities: z
    .object({ image_input: supported.optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

function parseCapabilities(text: string): Partial<ModelCapabilities> {
  const parsed = publishedModel.safeParse(readJson(text));
  if (!parsed.success) return {};
  const { max_input_tokens: contextWindow, max_tokens: maxOutputTokens, capabilities } = parsed.data;
  const vision = capabilities?.image_input;
  return {
    ...defined({ contextWindow, maxOutputTokens, vision }),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No JSON is no list: the schemas refuse it.
  }
}

function describe(error: unknown, provider: RunProvider): string {
  if (error instanceof ModelError) return error.message.replace(`${provider.name}: `, "");
  if (error instanceof AnswerTooLarge) return `${error.message}; check baseUrl`;
  return `unreachable (${findNetworkProblem(error) ?? "no connection"}); check baseUrl and the network`;
}
