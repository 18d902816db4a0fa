// Makes a packed chart reproducible: helm writes the time of packing into every header of the tar archive. Reads plain
// ustar, which is all that helm writes, and refuses anything else.
import { gunzipSync, gzipSync } from "node:zlib";

const blockBytes = 512;
/** Offset and length of a header's fields. */
const sizeField = [124, 12] as const;
const timeField = [136, 12] as const;
const checksumField = [148, 8] as const;
const magicOffset = 257;

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

/** The same archive with `epochSeconds` as the time of every entry, and none in the gzip header. */
export function setArchiveTimes(packed: Buffer, epochSeconds: number): Buffer {
  const tar = gunzipSync(packed);
  for (let at = 0; at + blockBytes <= tar.length;) {
    const header = tar.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) break;
    if (header.toString("latin1", magicOffset, magicOffset + 5) !== "ustar") {
      throw new Error(`expected a ustar header at byte ${at} of the chart's archive, found something else`);
    }
    header.write(`${octal(epochSeconds, timeField[1] - 1)}\0`, timeField[0], "latin1");
    writeChecksum(header);
    const size = Number.parseInt(header.toString("latin1", sizeField[0], sizeField[0] + sizeField[1]), 8);
    at += blockBytes * (1 + Math.ceil(size / blockBytes));
  }
  return gzipSync(tar, { level: 9 });
}

/** The sum of all bytes, its own field counted as spaces. */
function writeChecksum(header: Buffer): void {
  header.fill(" ", checksumField[0], checksumField[0] + checksumField[1]);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, checksumField[0], "latin1");
}
