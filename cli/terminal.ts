// What a person sees: results on standard output, everything else on standard error. Colours only where somebody looks
// and nobody said NO_COLOR; never cursor movements, so that a log file reads the same.

export interface Terminal {
  /** Paths are shown relative to this folder. */
  folder: string;
  /** A result. */
  print(line: string): void;
  /** A fault, a warning, news of a process. */
  complain(line: string): void;
}

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
}

export function createTerminal(
  streams: { stdout: Stream; stderr: Stream },
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  // https://no-color.org: set and not empty.
  const mayColour = (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const show = (stream: Stream, line: string): void => {
    stream.write(`${mayColour && stream.isTTY === true ? colour(line) : line}\n`);
  };
  return {
    folder,
    print: (line) => show(streams.stdout, line),
    complain: (line) => show(streams.stderr, line),
  };
}

const colours: readonly [RegExp, number][] = [
  [/\b(?:fault|ERROR|FATAL|failing)\b/, 31],
  [/\b(?:warning|WARNING|waiting)\b/, 33],
  [/\bready\b/, 32],
];

/** Only the first word that has a colour: the status of a row, the severity of a message. */
function colour(line: string): string {
  for (const [word, code] of colours) {
    if (word.test(line)) return line.replace(word, `\u001b[${code}m$&\u001b[39m`);
  }
  return line;
}
