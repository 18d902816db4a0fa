// What a person types, message by message: lines that come at once, as when a text is pasted, are one message.
import type { Interface } from "node:readline";

/** Far longer than the lines of one paste lie apart, far shorter than anybody types two. */
const pasteMs = 20;

/** Ends when the input does. */
export async function* readMessageLines(lines: Interface): AsyncGenerator<string> {
  const ready: string[] = [];
  let pasted: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let wake = (): void => undefined;
  const flush = (): void => {
    clearTimeout(timer);
    if (pasted.length > 0) ready.push(pasted.join("\n"));
    pasted = [];
    wake();
  };
  lines.on("line", (line) => {
    pasted.push(line);
    clearTimeout(timer);
    timer = setTimeout(flush, pasteMs);
  });
  lines.once("close", () => {
    isClosed = true;
    flush();
  });
  for (;;) {
    const next = ready.shift();
    if (next !== undefined) yield next;
    else if (isClosed) return;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}
