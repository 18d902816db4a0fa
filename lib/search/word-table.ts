// The word table: a vector for each of some ten thousand English words, from which the meaning of a text is made by
// adding them up. Reads and refuses the file `words.bin`, little-endian, that train/train.ts writes:
//   0  "SWT1"   4  count of words   8  numbers in a vector   12  bytes of the vocabulary   16  digest of what it was trained from
//   48 the scale of each word (float32), then the rows (int8), then the vocabulary in UTF-8, words ended by a line feed

/** Bytes before the scales. */
export const headerBytes = 48;
export const magic = "SWT1";
const digestAt = 16;
const maxWords = 1_000_000;
const maxWidth = 4_096;

/** What turns the words of a text into a vector. */
export interface LoadedWordTable {
  /** Numbers in a vector. */
  readonly width: number;
  /** Words that have one. */
  readonly size: number;
  /** SHA-256, in hexadecimal, of everything that the table was made from. */
  readonly inputsDigest: string;
  /**
   * The sum of the words' vectors, brought to length 1: rare words have long vectors, frequent ones short ones. Undefined
   * when none of the words is known. `words` are those of `toContentWords`.
   */
  embed(words: readonly string[]): Float32Array | undefined;
}

interface Header {
  readonly count: number;
  readonly width: number;
  readonly vocabularyBytes: number;
  readonly inputsDigest: string;
}

function readHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = Buffer.from(bytes.subarray(0, magic.length)).toString("latin1");
  if (start !== magic) {
    throw new Error(`no word table: expected it to begin with ${magic}, found ${JSON.stringify(start)}`);
  }
  if (bytes.length < headerBytes) {
    throw new Error(`word table: expected a header of ${headerBytes} bytes, found ${bytes.length}`);
  }
  const count = view.getUint32(4, true);
  const width = view.getUint32(8, true);
  const vocabularyBytes = view.getUint32(12, true);
  if (count === 0 || count > maxWords) throw new Error(`word table: expected 1 to ${maxWords} words, found ${count}`);
  if (width === 0 || width > maxWidth) {
    throw new Error(`word table: expected vectors of 1 to ${maxWidth} numbers, found ${width}`);
  }
  const inputsDigest = Buffer.from(bytes.subarray(digestAt, headerBytes)).toString("hex");
  return { count, width, vocabularyBytes, inputsDigest };
}

/** Copied: in a part of a larger buffer they may lie where no Float32Array can begin. */
function readScales(bytes: Uint8Array, count: number): Float32Array {
  const scales = new Float32Array(Uint8Array.from(bytes.subarray(headerBytes, headerBytes + 4 * count)).buffer);
  const wrong = scales.findIndex((scale) => !(scale >= 0) || scale === Infinity);
  if (wrong >= 0) {
    throw new Error(`word table: expected scales of 0 or more, found ${scales[wrong]} for word ${wrong + 1}`);
  }
  return scales;
}

function readVocabulary(bytes: Uint8Array, count: number): Map<string, number> {
  const words = new TextDecoder("utf-8", { fatal: true }).decode(bytes).split("\n");
  if (words.pop() !== "") {
    throw new Error("word table: expected the vocabulary to end with a line feed; the file is damaged");
  }
  const rows = new Map<string, number>();
  for (const word of words) rows.set(word, rows.size);
  if (words.length !== count || rows.size !== count || rows.has("")) {
    throw new Error(
      `word table: expected ${count} different words in the vocabulary, found ${rows.size} in ${words.length} lines`,
    );
  }
  return rows;
}

/**
 * Reads a word table from the bytes of its file, of which the table keeps a view. Throws naming what was expected and
 * found for anything else than a whole one.
 */
export function loadWordTable(bytes: Uint8Array): LoadedWordTable {
  const { count, width, vocabularyBytes, inputsDigest } = readHeader(bytes);
  const rowsAt = headerBytes + 4 * count;
  const vocabularyAt = rowsAt + count * width;
  if (bytes.length !== vocabularyAt + vocabularyBytes) {
    throw new Error(
      `word table: expected ${vocabularyAt + vocabularyBytes} bytes, found ${bytes.length}; the file is damaged`,
    );
  }
  const scales = readScales(bytes, count);
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, count * width);
  const rows = readVocabulary(bytes.subarray(vocabularyAt), count);
  return {
    width,
    size: count,
    inputsDigest,
    embed(words) {
      const sum = new Float32Array(width);
      for (const word of words) {
        const row = rows.get(word);
        if (row === undefined) continue;
        const scale = scales[row] ?? 0;
        const start = row * width;
        for (let at = 0; at < width; at += 1) sum[at] = (sum[at] ?? 0) + scale * (numbers[start + at] ?? 0);
      }
      return toUnitLength(sum);
    },
  };
}

function toUnitLength(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const number of vector) squares += number * number;
  if (!(squares > 0)) return undefined;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
