// What a person at a terminal says, and what their editor leaves.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { ChatError } from "../chat/chat-error.ts";
import { UsageError } from "../manifests/find-files.ts";
import { confirm } from "./confirm.ts";
import { editArguments } from "./edit-arguments.ts";

async function say(text: string | undefined, signal = new AbortController().signal) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const answer = confirm("Approve?", { stdin, stderr }, signal);
  if (text === undefined) stdin.end();
  else stdin.write(text);
  return { isYes: await answer, asked: String(stderr.read()) };
}

test.each([
  ["y\n", true],
  ["Yes\n", true],
  ["\n", false],
  ["n\n", false],
  ["yes please\n", false],
  [undefined, false],
])("CLI-5 nothing but a yes is one: %j", async (text, isYes) => {
  expect(await say(text)).toEqual({ isYes, asked: expect.stringContaining("Approve? [y/N] ") });
});

test("CLI-5 an interrupted question is a no", async () => {
  expect((await say("", AbortSignal.abort(new Error("SIGINT")))).isYes).toBe(false);
});

const editor = (script: string) => ({ EDITOR: `sed -i -e '${script}'` });
const args = '{"amount":250,"to":"\u202eboss"}';

test("CLI-5 an editor gets the arguments with what is hidden made visible, and what it leaves is sent", async () => {
  expect(await editArguments(args, editor("s/250/25/"))).toEqual({ amount: 25, to: "\u202eboss" });
  expect(await editArguments(args, editor("s/.u202eboss/boss/"))).toEqual({ amount: 250, to: "boss" });
});

test("CLI-5 nothing changed is nothing, and what is no object is refused", async () => {
  expect(await editArguments(args, { EDITOR: "true" })).toBeUndefined();
  expect(await editArguments(args, { VISUAL: "true", EDITOR: "false" })).toBeUndefined();
  await expect(editArguments(args, { EDITOR: "false" })).rejects.toThrow(ChatError);
  await expect(editArguments(args, editor("1d"))).rejects.toThrow(UsageError);
  await expect(editArguments(args, { EDITOR: "truncate -s 262145" })).rejects.toThrow(/more than 262144 bytes/);
});
