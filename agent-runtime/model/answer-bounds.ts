// What an answer of a provider may hold, judged before anybody parses it: bytes, and what the JSON in it would become (SEC-6). A
// provider is another's server, and client libraries read whatever it sends as what they expect, whatever type it declares.
import { createBodyMeasure, createEventMeasure } from "../../lib/outgoing/response-limit.ts";
import { createJsonMeter } from "../../lib/process/json-structure.ts";

/** Arguments of calls are JSON inside of strings, in one piece or in many; the longest answers have a tenth of it. */
const maxQuoted = 1_000_000;
/** Of AWS's event streams: a real frame has a few words. */
const maxFrameBytes = 1024 * 1024;
const frameStream = "application/vnd.amazon.eventstream";

/** The answer of a provider is larger than any real one. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  /** `problem` goes on "the answer …". */
  constructor(problem: string) {
    super(`the answer ${problem}`);
  }
}

export interface AnswerLimits {
  maxBytes: number;
  /** How it is read: by the events of a stream, each by itself, or as one body. */
  reads: "events" | "body";
  onBytes: (count: number) => void;
}

/** The body of `answer`, which fails with AnswerTooLarge as soon as it is past a limit. Exactly those pass. */
export function boundAnswer(answer: Response, limits: AnswerLimits): TransformStream<Uint8Array, Uint8Array> {
  const findProblem = createProblemSearch(answer, limits.reads);
  let total = 0;
  return new TransformStream({
    transform(chunk, controller) {
      total += chunk.byteLength;
      if (total > limits.maxBytes) throw new AnswerTooLarge(`is larger than ${limits.maxBytes} bytes`);
      const problem = findProblem(chunk);
      if (problem !== undefined) throw new AnswerTooLarge(problem);
      limits.onBytes(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
}

/** What is wrong with the answer up to and with a chunk. */
type ProblemSearch = (chunk: Uint8Array) => string | undefined;

function createProblemSearch({ ok, headers }: Response, reads: AnswerLimits["reads"]): ProblemSearch {
  const type = headers.get("content-type") ?? "";
  // Its brackets and quotes are not those of JSON, and nobody reads it as such.
  if (type.includes("text/html")) return () => undefined;
  if (ok && type.includes(frameStream)) return createFrameSearch();
  const whole = ok && reads === "events" && !type.includes("json") ? createEventMeasure() : createBodyMeasure(true);
  const quoted = createJsonMeter({ maxDepth: Infinity, maxStructure: Infinity, maxQuoted });
  return (chunk) => whole(chunk).problem ?? quoted(chunk);
}

/** Each frame begins with its length, in four bytes; a reader holds it until it is whole. */
function createFrameSearch(): ProblemSearch {
  let left = 0;
  let lengthBytes = 0;
  let length = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (left > 0) {
        const passed = Math.min(left, chunk.length - at);
        left -= passed;
        at += passed;
        continue;
      }
      length = length * 256 + (chunk[at] ?? 0);
      lengthBytes += 1;
      at += 1;
      if (lengthBytes < 4) continue;
      if (length > maxFrameBytes) return `has a frame of more than ${maxFrameBytes} bytes`;
      left = Math.max(0, length - 4);
      lengthBytes = 0;
      length = 0;
    }
    return undefined;
  };
}
