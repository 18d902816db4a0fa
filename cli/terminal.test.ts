import { expect, test } from "vitest";
import { createTerminal, type Terminal } from "./terminal.ts";

function record(isTTY: boolean, env: Record<string, string> = {}, columns = 80) {
  let text = "";
  let resized = (): void => undefined;
  const stream = {
    isTTY,
    columns,
    write: (part: string) => (text += part),
    on: (_: "resize", listener: () => void) => (resized = listener),
  };
  const terminal: Terminal = createTerminal({ stdout: stream, stderr: stream }, "/", env);
  return { terminal, stream, resize: () => resized(), taken: () => [text, (text = "")][0] ?? "" };
}

function written(isTTY: boolean, env: Record<string, string>, line: string): string {
  const { terminal, taken } = record(isTTY, env);
  terminal.print(line);
  return taken();
}

test("CLI-1 colours only where somebody looks and nobody said NO_COLOR, or where FORCE_COLOR is said", () => {
  const row = "notes  passthrough  ready  http://localhost:1/mcp";
  const coloured = "notes  passthrough  \u001b[32mready\u001b[39m  http://localhost:1/mcp\n";
  expect(written(true, {}, row)).toBe(coloured);
  expect(written(true, { NO_COLOR: "" }, row)).toBe(coloured);
  expect(written(true, { NO_COLOR: "1" }, row)).toBe(`${row}\n`);
  expect(written(true, { TERM: "dumb" }, row)).toBe(`${row}\n`);
  expect(written(false, {}, row)).toBe(`${row}\n`);
  expect(written(false, { FORCE_COLOR: "1" }, row)).toBe(coloured);
  expect(written(true, { FORCE_COLOR: "0" }, row)).toBe(`${row}\n`);
});

test("CLI-1 the worst word of a line is the coloured one, and only that", () => {
  expect(written(true, {}, "a.yaml:1:1: error: not ready")).toBe("a.yaml:1:1: \u001b[31merror\u001b[39m: not ready\n");
});

test("CLI-1 what others wrote commands no terminal", () => {
  expect(written(true, {}, "a\u001b[2Jb\u001b]0;title\u0007c\u0000\rd")).toBe("abcd\n");
});

test("CLI-1 the line of what goes on stays below what is shown, and goes without a trace", () => {
  const { terminal, taken } = record(true);
  terminal.status("1 of 3");
  expect(taken()).toBe("1 of 3");
  terminal.print("news");
  expect(taken()).toBe("\r\u001b[Jnews\n1 of 3");
  terminal.status("2 of 3");
  expect(taken()).toBe("\r\u001b[J2 of 3");
  terminal.status(undefined);
  expect(taken()).toBe("\r\u001b[J");
  terminal.print("last");
  expect(taken()).toBe("last\n");
});

test("CLI-1 the line of what goes on is cut to the columns there are, and drawn anew when they change", () => {
  const { terminal, stream, resize, taken } = record(true, {}, 10);
  terminal.status("0123456789");
  expect(taken()).toBe("01234567…");
  stream.columns = 5;
  resize();
  expect(taken()).toBe("\r\u001b[1A\u001b[J012…");
  terminal.status("日本語");
  expect(taken()).toBe("\r\u001b[J日…");
});

test("CLI-1 where nobody looks there is no line of what goes on", () => {
  const { terminal, taken } = record(false);
  terminal.status("1 of 3");
  terminal.print("news");
  expect(taken()).toBe("news\n");
});
