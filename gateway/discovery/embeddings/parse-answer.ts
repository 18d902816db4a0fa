// Reads the answer of POST /embeddings: as many vectors as texts, each at its index, of one width, of finite numbers. Anything
// else is refused with what was found, since a vector in a wrong place would rank tools by the texts of others.
import { EmbeddingsError } from "./problem.ts";

/** The widest of today's models have half of it. */
export const maxWidth = 8_192;

/**
 * Unit vectors in the order of the texts; a vector of zeros stays one.
 * @throws EmbeddingsError of kind invalid.
 */
export function parseEmbeddings(answer: unknown, count: number): Float32Array[] {
  const data = isRecord(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data)) throw invalid(`expected an object with a list "data"`);
  if (data.length !== count) throw invalid(`expected ${count} embeddings, found ${data.length}`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  let width: number | undefined;
  for (const [at, item] of data.entries()) {
    if (!isRecord(item)) throw invalid(`expected an object at data[${at}]`);
    const { index = at, embedding } = item;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count) {
      throw invalid(`expected an index below ${count} at data[${at}]`);
    }
    if (vectors[index] !== undefined) throw invalid(`found index ${index} twice`);
    const vector = parseVector(embedding, at);
    width ??= vector.length;
    if (vector.length !== width) throw invalid(`expected vectors of one width, found ${width} and ${vector.length}`);
    vectors[index] = vector;
  }
  // As many different indexes as texts: none is left out.
  return vectors.flatMap((vector) => (vector === undefined ? [] : [vector]));
}

function parseVector(embedding: unknown, at: number): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > maxWidth) {
    throw invalid(`expected a list of 1 to ${maxWidth} numbers at data[${at}].embedding`);
  }
  const numbers: readonly unknown[] = embedding;
  let largest = 0;
  for (const value of numbers) {
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw invalid(`expected finite numbers in data[${at}].embedding`);
    }
    largest = Math.max(largest, Math.abs(value));
  }
  return toUnit(numbers, largest);
}

/** Divided by the largest first: the squares of what a double holds may be too large for one, or too small. */
function toUnit(numbers: readonly unknown[], largest: number): Float32Array {
  const vector = new Float32Array(numbers.length);
  if (largest === 0) return vector;
  let squares = 0;
  for (const value of numbers) squares += (Number(value) / largest) ** 2;
  const norm = Math.sqrt(squares);
  for (const [at, value] of numbers.entries()) vector[at] = Number(value) / largest / norm;
  return vector;
}

const invalid = (found: string): EmbeddingsError =>
  new EmbeddingsError("invalid", `the answer is none of the embeddings API: ${found}; check baseUrl and model`);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
