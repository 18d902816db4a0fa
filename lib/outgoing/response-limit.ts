// Caps what a server may make us hold in memory (SEC-6): the bytes of a whole body, or of one event of a stream, and what
// JSON in them would become once it is parsed.
import { isEventStream } from "../process/event-stream.ts";
import { createJsonMeter, type JsonMeter } from "../process/json-structure.ts";

/** Parsed, so much is some 20 MB; a result that a model can read has a hundredth of it. */
export const answerBounds = { maxDepth: 200, maxStructure: 200_000 };

/** Thrown while reading a body. Its code puts it among network faults. */
export class ResponseLimitError extends Error {
  override readonly name = "ResponseLimitError";
  readonly code = "ERESPONSELIMIT";
}

/** Too much only beside what else is held now. */
export class NoRoomError extends ResponseLimitError {
  constructor() {
    super("does not fit in memory beside other work; try again later, or ask for less");
  }
}

/** Where an answer is counted together with others. */
export interface AnswerRoom {
  /** Its reader holds so many bytes of it at once, `unfinishedBytes` of them are of a message that goes on. False when there is no room. */
  hold(bytes: number, unfinishedBytes: number): boolean;
  /** The body has ended or failed, or nobody reads on. */
  end(): void;
}

const boundless: AnswerRoom = { hold: () => true, end: () => undefined };

/** A response whose body fails beyond the limits. Who reads its stream by way of others hears of it here, and first. */
export class LimitedResponse extends Response {
  #excess: ResponseLimitError | undefined;
  #listener: ((error: ResponseLimitError) => void) | undefined;

  /** Who listens late, after the body began to be read, hears of what was before at once. */
  set onExcess(listener: (error: ResponseLimitError) => void) {
    this.#listener = listener;
    if (this.#excess !== undefined) listener(this.#excess);
  }

  /** The body has failed. */
  exceed(error: ResponseLimitError): void {
    this.#excess = error;
    this.#listener?.(error);
  }
}

/** An answer as undici gives it; its types and those of the platform's Response do not meet. */
interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<[string, string]>;
  readonly body: { getReader(): ByteReader } | null;
}

interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/**
 * `answer` with a body that fails once it, or one of its events, exceeds `maxBytes` or the bounds of JSON, of which exactly
 * those pass, or finds no room.
 */
export function limitResponse(
  { status, statusText, headers, body }: Answer,
  maxBytes: number,
  room: AnswerRoom = boundless,
): LimitedResponse {
  const init = { status, statusText, headers: [...headers] };
  if (body === null) return new LimitedResponse(null, init);
  const isStream = isEventStream(new Headers(init.headers));
  const measure = isStream ? createEventMeasure() : createBodyMeasure(isJson(new Headers(init.headers)));
  const reader = body.getReader();
  const judge = (value: Uint8Array): ResponseLimitError | undefined => {
    const { bytes, unfinishedBytes, problem } = measure(value);
    const why = bytes > maxBytes ? `is over the limit of ${maxBytes} bytes` : problem;
    if (why !== undefined) {
      return new ResponseLimitError(`${isStream ? "one event of the stream" : "the response"} ${why}`);
    }
    return room.hold(bytes, unfinishedBytes) ? undefined : new NoRoomError();
  };
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        room.end();
        throw error;
      });
      if (done || value === undefined) {
        room.end();
        controller.close();
        return;
      }
      const error = judge(value);
      if (error !== undefined) {
        room.end();
        reader.cancel(error).catch(() => undefined);
        response.exceed(error);
        throw error;
      }
      controller.enqueue(value);
    },
    cancel(reason) {
      room.end();
      return reader.cancel(reason);
    },
  };
  // Nothing is read ahead: a body that nobody reads holds no room.
  const limited = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  const response = new LimitedResponse(limited, init);
  return response;
}

const isJson = (headers: Headers): boolean => headers.get("content-type")?.includes("json") === true;

/** Returns the most bytes that a reader of the stream so far would have to hold at once, and what is wrong with their JSON. */
type Measure = (chunk: Uint8Array) => { bytes: number; unfinishedBytes: number; problem: string | undefined };

export function createBodyMeasure(holdsJson: boolean): Measure {
  const meter: JsonMeter = holdsJson ? createJsonMeter(answerBounds) : () => undefined;
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return { bytes, unfinishedBytes: bytes, problem: meter(chunk) };
  };
}

/** Measures the running event, its line ends included; an empty line ends an event. */
export function createEventMeasure(): Measure {
  const [lineFeed, carriageReturn] = [10, 13];
  let meter = createJsonMeter(answerBounds);
  let eventBytes = 0;
  let lineBytes = 0;
  let lastByte = 0;
  return (chunk) => {
    let mostBytes = 0;
    let problem: string | undefined;
    let from = 0;
    let eventFrom = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      lineBytes += at - from;
      eventBytes += at - from + 1;
      mostBytes = Math.max(mostBytes, eventBytes);
      const before = at === 0 ? lastByte : chunk[at - 1];
      if (lineBytes === 0 || (lineBytes === 1 && before === carriageReturn)) {
        problem ??= meter(chunk.subarray(eventFrom, at));
        meter = createJsonMeter(answerBounds);
        eventFrom = at + 1;
        eventBytes = 0;
      }
      lineBytes = 0;
      from = at + 1;
    }
    lineBytes += chunk.length - from;
    eventBytes += chunk.length - from;
    lastByte = chunk.at(-1) ?? lastByte;
    problem ??= meter(chunk.subarray(eventFrom));
    return { bytes: Math.max(mostBytes, eventBytes), unfinishedBytes: eventBytes, problem };
  };
}
