// What a person sees: results on standard output, everything else on standard error, and below it one line that says
// what goes on. Colours and that line only where somebody looks; what others wrote is made safe before it is shown.
import stringWidth from "string-width";
import { fitWidth } from "./fit-width.ts";
import { plainLine, plainText } from "./plain-text.ts";

export interface Screen {
  /** Somebody looks: it is a terminal, and one that can move its cursor. */
  isTerminal: boolean;
  hasColour: boolean;
  /** As it is now; 80 where nobody can say. */
  readonly columns: number;
}

export interface Terminal {
  /** Paths are shown relative to this folder. */
  folder: string;
  out: Screen;
  err: Screen;
  /** A result. */
  print(line: string): void;
  /** A result that is styled already, from text that plainText has seen. */
  printStyled(text: string): void;
  /** A problem, a warning, news of a process. */
  complain(line: string): void;
  /** What goes on now, on a line that the next one replaces; undefined takes it away. Nothing where nobody looks. */
  status(line: string | undefined): void;
}

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  on?(event: "resize", listener: () => void): unknown;
}

export function createTerminal(
  streams: { stdout: Stream; stderr: Stream },
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const [out, err] = [screenOf(streams.stdout, env), screenOf(streams.stderr, env)];
  const live = createLiveLine(streams.stderr, err);
  streams.stderr.on?.("resize", () => live.redraw());
  const show = (stream: Stream, text: string): void => live.above(() => void stream.write(`${text}\n`));
  const styled = (line: string, { hasColour }: Screen): string =>
    hasColour ? colour(plainText(line)) : plainText(line);
  return {
    folder,
    out,
    err,
    print: (line) => show(streams.stdout, styled(line, out)),
    printStyled: (text) => show(streams.stdout, text),
    complain: (line) => show(streams.stderr, styled(line, err)),
    status: (line) => live.show(line),
  };
}

function screenOf(stream: Stream, env: Readonly<Record<string, string | undefined>>): Screen {
  const isTerminal = stream.isTTY === true && env["TERM"] !== "dumb";
  const { NO_COLOR: never = "", FORCE_COLOR: always = "" } = env;
  // https://no-color.org and https://force-color.org: set and not empty; to force wins, as it does in Node.
  const isForced = always !== "" && always !== "0" && always !== "false";
  return {
    isTerminal,
    hasColour: isForced || (isTerminal && never === "" && always === ""),
    get columns() {
      return stream.columns || 80;
    },
  };
}

/** One line at the end that is replaced in place, and stays below whatever else is shown. */
function createLiveLine(stream: Stream, screen: Screen) {
  let wanted: string | undefined;
  let shown = "";
  const erase = (): void => {
    if (shown === "") return;
    // A terminal that became narrower has broken the line into several.
    const rowsAbove = Math.ceil(stringWidth(shown) / screen.columns) - 1;
    stream.write(`\r${rowsAbove > 0 ? `\u001b[${rowsAbove}A` : ""}\u001b[J`);
    shown = "";
  };
  const draw = (): void => {
    if (wanted === undefined || !screen.isTerminal) return;
    // The last column stays free: a full line would move the cursor on to the next.
    shown = fitWidth(wanted, screen.columns - 1);
    stream.write(shown);
  };
  const redraw = (): void => {
    erase();
    draw();
  };
  return {
    redraw,
    show(line: string | undefined): void {
      const next = line === undefined ? undefined : plainLine(line);
      if (next === wanted) return;
      wanted = next;
      redraw();
    },
    above(write: () => void): void {
      erase();
      write();
      draw();
    },
  };
}

const colours: readonly [RegExp, number][] = [
  [/\b(?:error|ERROR|FATAL|failing)\b/, 31],
  [/\b(?:warning|WARNING|degraded|waiting)\b/, 33],
  [/\bready\b/, 32],
];

/** Only the first word that has a colour: the status of a row, the severity of a message. */
function colour(line: string): string {
  for (const [word, code] of colours) {
    if (word.test(line)) return line.replace(word, `\u001b[${code}m$&\u001b[39m`);
  }
  return line;
}
