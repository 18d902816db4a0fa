// Reads the data of an event stream's events as its bytes pass, without holding the stream up. Linear in what passes; an
// event over the limit is passed over.

/** Takes the stream's chunks, in order. Calls `onData` for each event of at most `maxChars`. */
export function createEventDataReader(onData: (data: string) => void, maxChars: number): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let line = "";
  let data: string[] = [];
  let characters = 0;
  let isTooLong = false;
  const endLine = () => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    line = "";
    if (text === "") {
      if (!isTooLong && data.length > 0) onData(data.join("\n"));
      data = [];
      characters = 0;
      isTooLong = false;
    } else if (!isTooLong && text.startsWith("data:")) {
      data.push(text.slice(text.startsWith("data: ") ? "data: ".length : "data:".length));
    }
  };
  const take = (part: string) => {
    characters += part.length;
    if (characters > maxChars) {
      isTooLong = true;
      data = [];
      // What is left of the line only has to tell it from an empty one.
      const whole = line + part;
      line = whole === "\r" ? whole : whole.endsWith("\r") ? "x\r" : "x";
    } else {
      line += part;
    }
  };
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      if (at > from) take(text.slice(from, at));
      endLine();
      from = at + 1;
    }
    if (from < text.length) take(text.slice(from));
  };
}
