// Writes the file that word-table.ts reads: each row in one byte a number, scaled by its largest.
import { headerBytes, magic } from "../word-table.ts";

const largestStep = 127;

/** `rows` holds `width` numbers for each of the words, in their order. `inputsDigest` is 64 hexadecimal digits. */
export function packTable(words: readonly string[], rows: Float32Array, width: number, inputsDigest: string): Buffer {
  const vocabulary = Buffer.from(words.map((word) => `${word}\n`).join(""), "utf8");
  const rowsAt = headerBytes + 4 * words.length;
  const file = Buffer.alloc(rowsAt + rows.length + vocabulary.length);
  file.write(magic, 0, "latin1");
  file.writeUInt32LE(words.length, 4);
  file.writeUInt32LE(width, 8);
  file.writeUInt32LE(vocabulary.length, 12);
  file.write(inputsDigest, 16, "hex");
  for (let row = 0; row < words.length; row += 1) {
    const numbers = rows.subarray(row * width, (row + 1) * width);
    const scale = numbers.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0) / largestStep;
    file.writeFloatLE(scale, headerBytes + 4 * row);
    numbers.forEach((number, at) => {
      file.writeInt8(scale === 0 ? 0 : Math.round(number / scale), rowsAt + row * width + at);
    });
  }
  vocabulary.copy(file, rowsAt + rows.length);
  return file;
}
