// request_params, in Python or a card, and what a model's name asks for → spec.request. A value that the field does not
// take is said and left out, so that what is written is sound.
import type { AgentSpec } from "../../crds/agent.ts";
import { request as requestSchema } from "../../crds/agent-settings.ts";
import { describeForm, type Field } from "./field.ts";
import type { MapReader } from "./map-reader.ts";

export type RequestSpec = NonNullable<AgentSpec["request"]>;
type RequestKey = keyof typeof requestSchema.shape;

const fieldOf: Readonly<Record<string, RequestKey>> = {
  temperature: "temperature",
  top_p: "topP",
  topP: "topP",
  top_k: "topK",
  topK: "topK",
  max_tokens: "maxTokens",
  maxTokens: "maxTokens",
  stopSequences: "stop",
  stop_sequences: "stop",
  reasoning: "effort",
  reasoning_effort: "effort",
  effort: "effort",
  parallel_tool_calls: "parallelToolCalls",
  max_iterations: "maxSteps",
};

const elsewhere = ["model", "use_history", "emit_loop_progress", "systemPrompt"];
const unsupported: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...["min_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "service_tier", "streaming_timeout"],
    ...["response_format", "structured_schema", "template_vars", "mcp_metadata", "tool_result_mode", "metadata"],
  ].map((key) => [key, "spec.request has no such field"]),
);

/** The fields of spec.request that are found; the reader keeps what belongs elsewhere. */
export function importRequest(reader: MapReader, inName: ReadonlyMap<string, string>): RequestSpec {
  let spec: RequestSpec = {};
  for (const [key, value] of inName) {
    const number = Number(value);
    const field: Field = { kind: "scalar", value: Number.isNaN(number) ? value : number, place: reader.field.place };
    spec = { ...spec, ...importOne(key, field, `?${key}`, reader) };
  }
  for (const key of reader.keys.filter((name) => Object.hasOwn(fieldOf, name))) {
    const field = reader.take(key);
    if (field !== undefined) spec = { ...spec, ...importOne(key, field, reader.path(key), reader) };
  }
  reader.leaveOut(unsupported, "warn");
  return spec;
}

/** Says what is left once everything that is known has been taken. */
export const refuseRequestRest = (reader: MapReader): void =>
  reader.refuseRest([...Object.keys(fieldOf), ...elsewhere, ...Object.keys(unsupported)]);

function importOne(key: string, field: Field, path: string, { notes }: MapReader): RequestSpec {
  const name = Object.hasOwn(fieldOf, key) ? fieldOf[key] : undefined;
  if (name === undefined) {
    notes.warn(field.place, `${path}: not carried over: spec.request has no such field`);
    return {};
  }
  const result = requestSchema.safeParse({ [name]: plainOf(field) });
  if (result.success) return result.data;
  const found = field.kind === "opaque" ? field.why : `found ${describeForm(field)}`;
  const wanted = result.error.issues[0]?.message ?? "another value";
  notes.warn(field.place, `${path}: not carried over as spec.request.${name}: ${found}; ${wanted}`);
  return {};
}

function plainOf(field: Field): unknown {
  if (field.kind === "scalar") return field.value;
  return field.kind === "list" ? field.items.map(plainOf) : undefined;
}
