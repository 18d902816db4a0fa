import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { instanceYaml, recordTerminal, temporaryFolder, writeFolder } from "../testing/manifests.ts";
import { printToken } from "./print-token.ts";

test("CLI-1 pallas token prints the token of the run and nothing else, and says what is missing without one", async () => {
  const [folder, state] = [await writeFolder({ "a.yaml": instanceYaml("gateway: {}") }), await temporaryFolder()];
  const terminal = recordTerminal("/");
  const ask = () => printToken([folder], { terminal, process: { env: { PALLAS_STATE_DIR: state } } });
  expect(await ask()).toBe(1);
  expect(terminal.complaints).toEqual([expect.stringMatching(/^pallas: no pallas up with a gateway runs on /)]);
  await mkdir(join(state, "secrets"));
  await writeFile(join(state, "secrets/run-token"), "the-token");
  expect(await ask()).toBe(0);
  expect(terminal.printed).toEqual(["the-token"]);
});
