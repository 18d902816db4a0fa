// Lines of a stream as they come, none longer than the limit.

/** Each line without its end; empty ones are left out. Rejects on a longer line, and with what the stream fails with. */
export async function* readLines(body: ReadableStream<Uint8Array> | null, maxBytes: number): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      parts.push(decoder.decode(chunk.subarray(from, end), { stream: true }), decoder.decode());
      if (bytes + end - from > maxBytes) throw tooLong(maxBytes);
      const line = parts.join("").trim();
      if (line !== "") yield line;
      parts = [];
      bytes = 0;
      from = end + 1;
    }
    bytes += chunk.length - from;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    parts.push(decoder.decode(chunk.subarray(from), { stream: true }));
  }
}

const tooLong = (maxBytes: number) => new Error(`expected lines of at most ${maxBytes} bytes, found a longer one`);
