// An answer with every gap filled, and server-sent events: what the writers of the three APIs share.

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

export const renderData = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
export const renderEvent = (name: string, value: unknown) => `event: ${name}\n${renderData(value)}`;
