import { expect, test } from "vitest";
import { createTerminal } from "./terminal.ts";

function written(isTTY: boolean, env: Record<string, string>, line: string): string {
  let text = "";
  const stream = { isTTY, write: (part: string) => (text += part) };
  createTerminal({ stdout: stream, stderr: stream }, "/", env).print(line);
  return text;
}

test("CLI-1 colours only where somebody looks and nobody said NO_COLOR", () => {
  const row = "notes  passthrough  ready  http://localhost:1/mcp";
  expect(written(true, {}, row)).toBe("notes  passthrough  \u001b[32mready\u001b[39m  http://localhost:1/mcp\n");
  expect(written(true, { NO_COLOR: "" }, row)).toContain("\u001b[32m");
  expect(written(true, { NO_COLOR: "1" }, row)).toBe(`${row}\n`);
  expect(written(true, { TERM: "dumb" }, row)).toBe(`${row}\n`);
  expect(written(false, {}, row)).toBe(`${row}\n`);
});

test("CLI-1 the worst word of a line is the coloured one, and only that", () => {
  expect(written(true, {}, "a.yaml:1:1: fault: not ready")).toBe("a.yaml:1:1: \u001b[31mfault\u001b[39m: not ready\n");
});
