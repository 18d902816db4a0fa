// An answer with every gap filled, and server-sent events: what the writers of the APIs share.

export interface AnswerParts {
  reasoning: string | undefined;
  /** Pieces of the text; undefined = no text at all. */
  texts: readonly string[] | undefined;
  calls: readonly { id: string; name: string; argumentsText: string }[];
  /** Stopped by the limit of tokens. */
  cut: boolean;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoningTokens: number;
}

/** A piece of a stream, ready to be written. */
export type Frame = string | Uint8Array;

export const renderData = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
export const renderEvent = (name: string, value: unknown) => `event: ${name}\n${renderData(value)}`;

/** Where an API sends values instead of text; broken JSON is a string there. */
export function readArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
