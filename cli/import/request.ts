// request_params, in Python or a card, and what a model's name asks for → spec.request. A value that the field does not
// take is reported and left out, so that what is written is sound.
import { request as requestSchema } from "../../crds/agent-settings.ts";
import type { MapReader } from "./map-reader.ts";

const keysOf: Readonly<Record<string, readonly string[]>> = {
  temperature: ["temperature"],
  topP: ["top_p", "topP"],
  topK: ["top_k", "topK"],
  maxTokens: ["max_tokens", "maxTokens"],
  stop: ["stopSequences", "stop_sequences"],
  effort: ["reasoning", "reasoning_effort", "effort"],
  parallelToolCalls: ["parallel_tool_calls"],
  maxSteps: ["max_iterations"],
};

/** The fields of spec.request that are found; the reader keeps what belongs elsewhere. */
export const importRequest = (reader: MapReader): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(requestSchema.shape).flatMap(([field, schema]) =>
      (keysOf[field] ?? []).flatMap((key) => {
        const found = reader.read<unknown>(key, schema);
        return found === undefined ? [] : [[field, found.value]];
      }),
    ),
  );
