// Measures a JSON text before anybody parses it: a parsed value can take fifty times the memory of its text, and how much it
// takes is told by the text's structural characters, not by its length (SEC-6). It reads bytes as they come, each once, and
// keeps none; whether the text is JSON at all is the parser's to say.

export interface JsonBounds {
  /** Arrays and objects inside each other; a single one is 1 deep. */
  maxDepth: number;
  /** Of the six that stand outside of strings: [ ] { } : , */
  maxStructure: number;
  /** Of [ and { inside of strings, where those may be JSON that is parsed once more; any number unless set. */
  maxQuoted?: number;
}

/** Reads on in the text. Returns what is wrong with it so far, in words that go on "the body …"; exactly the bounds pass. */
export type JsonMeter = (chunk: Uint8Array) => string | undefined;

const other = 0;
const separator = 1;
const opening = 2;
const closing = 3;
const quote = 4;
const backslash = 5;
const lineEnd = 6;
/** What a byte is. All are ASCII, which in UTF-8 is never a part of another character. */
const kinds = new Uint8Array(256);
for (const [kind, characters] of [
  [separator, ":,"],
  [opening, "[{"],
  [closing, "]}"],
  [quote, '"'],
  [backslash, "\\"],
  [lineEnd, "\r\n"],
] as const) {
  for (const byte of Buffer.from(characters)) kinds[byte] = kind;
}

/** A meter at the beginning of a text in UTF-8. A line end ends a string, which in JSON holds none: so does a field of an event stream. */
export function createJsonMeter({ maxDepth, maxStructure, maxQuoted = Infinity }: JsonBounds): JsonMeter {
  const state: State = { depth: 0, structure: 0, quoted: 0, inString: false, isEscaped: false };
  let problem: string | undefined;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length && problem === undefined) {
      if (state.inString) {
        at = skipString(state, chunk, at);
        if (state.quoted > maxQuoted) problem = `has more than ${maxQuoted} brackets inside of strings`;
        continue;
      }
      const kind = kinds[chunk[at] ?? 0];
      at += 1;
      if (kind === other) continue;
      if (kind === quote) {
        state.inString = true;
      } else if (kind === separator || kind === opening || kind === closing) {
        state.structure += 1;
        if (kind === opening) state.depth += 1;
        else if (kind === closing && state.depth > 0) state.depth -= 1;
        if (state.structure > maxStructure) problem = `has more than ${maxStructure} structural characters`;
        else if (state.depth > maxDepth) problem = `is nested more than ${maxDepth} deep`;
      }
    }
    return problem;
  };
}

interface State {
  depth: number;
  structure: number;
  quoted: number;
  inString: boolean;
  isEscaped: boolean;
}

/** Where the string that goes on at `from` is over, or the chunk. */
function skipString(state: State, chunk: Uint8Array, from: number): number {
  let { isEscaped } = state;
  let at = from;
  for (; at < chunk.length; at += 1) {
    const kind = kinds[chunk[at] ?? 0];
    if (kind === lineEnd || (kind === quote && !isEscaped)) break;
    if (kind === opening) state.quoted += 1;
    isEscaped = kind === backslash && !isEscaped;
  }
  state.inString = at === chunk.length;
  state.isEscaped = state.inString && isEscaped;
  return at + 1;
}
