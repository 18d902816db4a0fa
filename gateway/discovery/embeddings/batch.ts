// One batch of texts, for which an endpoint may be too small, or of which it may refuse some: it is halved until those are alone, and
// those are asked for once more, shorter. Finds also how many texts the endpoint takes at once.
import { EmbeddingsError } from "./problem.ts";
import { cutBytes } from "./tool-text.ts";

/** Of a text that was refused at its length: the tool's name and what it does in a few words. */
const shortTextBytes = 300;

export interface BatchResult {
  /** One a text; undefined where the endpoint refuses the text at any length. */
  vectors: (Float32Array | undefined)[];
  refused: number;
  /** So many at once it took where it had refused twice as many. */
  fittingSize?: number;
}

export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/**
 * Vectors of `texts`.
 * @throws EmbeddingsError when more than `maxRefused` of them are refused, which then is no matter of theirs; and what `embed` throws else.
 */
export async function embedBatch(
  texts: readonly string[],
  embed: EmbedTexts,
  maxRefused: number,
): Promise<BatchResult> {
  try {
    return { vectors: [...(await embed(texts))], refused: 0 };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const [only = ""] = texts;
    if (texts.length === 1) return await embedShort(only, embed, { maxRefused, refusal: error });
    const middle = Math.ceil(texts.length / 2);
    const left = await embedBatch(texts.slice(0, middle), embed, maxRefused);
    const right = await embedBatch(texts.slice(middle), embed, maxRefused - left.refused);
    const isOfSize = left.refused + right.refused === 0;
    const fittingSize = left.fittingSize ?? right.fittingSize ?? (isOfSize ? middle : undefined);
    return {
      vectors: [...left.vectors, ...right.vectors],
      refused: left.refused + right.refused,
      ...(fittingSize !== undefined && { fittingSize }),
    };
  }
}

async function embedShort(
  text: string,
  embed: EmbedTexts,
  { maxRefused, refusal }: { maxRefused: number; refusal: EmbeddingsError },
): Promise<BatchResult> {
  const short = cutBytes(text, shortTextBytes);
  try {
    if (short !== text) return { vectors: [...(await embed([short]))], refused: 0 };
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  if (maxRefused < 1) throw refusal;
  return { vectors: [undefined], refused: 1 };
}

const isRefusal = (error: unknown): error is EmbeddingsError =>
  error instanceof EmbeddingsError && error.kind === "refused";
