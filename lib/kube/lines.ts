// Cuts a byte stream into lines. Works on bytes, so a character split over two chunks stays whole; a line longer than
// the limit is refused; what follows the last line break is an unfinished line and is dropped.

const lineBreak = 0x0a;

export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const keep = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > maxLineBytes) {
      throw new Error(`a line of the stream is longer than ${maxLineBytes} bytes; expected one JSON object per line`);
    }
    pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineBreak); end >= 0; end = chunk.indexOf(lineBreak, start)) {
      keep(chunk.subarray(start, end));
      const line = Buffer.concat(pieces, bytes).toString("utf8");
      pieces = [];
      bytes = 0;
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
}
