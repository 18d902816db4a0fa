import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { bridgeQuestion, type BridgeVerdict } from "./bridge-verdict.ts";

async function answering(body: string): Promise<BridgeVerdict> {
  const server = createServer((_, response) => response.end(body)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  return bridgeQuestion.ask(`http://127.0.0.1:${address.port}/health`, "memory", AbortSignal.timeout(5_000));
}
const report = (fields: object) => JSON.stringify({ status: "ok", processes: 0, ...fields });

describe("DSC-6 what a bridge says of its server", () => {
  it("is its state, and its server's words as one line of plain text", async () => {
    expect(await answering(report({}))).toEqual({ status: "ok", message: "" });
    const message = "exited with 1:\n\u001B[31mno \u202Esuch\u0000 file\u001B[0m\r\n";
    expect(await answering(report({ status: "down", message }))).toEqual({
      status: "down",
      message: "exited with 1: [31mno such file [0m",
    });
  });

  it.each([
    [512, "x".repeat(512)],
    [513, `${"x".repeat(511)}…`],
  ])("is cut after 512 characters: %d", async (length, message) => {
    expect(await answering(report({ status: "down", message: "x".repeat(length) }))).toMatchObject({ message });
  });

  it.each([
    ["no JSON", "<html>", /found no JSON/],
    ["another shape", '{"status":"ok"}', /found another shape/],
    ["an unknown state", report({ status: "fine" }), /found another shape/],
    ["too much", `${report({})}${" ".repeat(70_000)}`, /65536/],
  ])("is refused as %s", async (_what, body, expected) => {
    await expect(answering(body)).rejects.toThrow(expected);
  });

  it("is no new verdict where only numbers in it moved", () => {
    const down = (message: string): BridgeVerdict => ({ status: "down", message });
    expect(bridgeQuestion.isSame(down("12:00:01 exit 1, try 3"), down("12:00:31 exit 1, try 4"))).toBe(true);
    expect(bridgeQuestion.isSame(down("exit 1"), down("no such file"))).toBe(false);
    expect(bridgeQuestion.isSame(down(""), { status: "starting", message: "" })).toBe(false);
    expect(bridgeQuestion.isSame(undefined, undefined)).toBe(true);
    expect(bridgeQuestion.isSame(undefined, down(""))).toBe(false);
  });

  it("is silence in the words of the connection", () => {
    expect(bridgeQuestion.judgeSilence(new Error("connect ECONNREFUSED"))).toEqual({
      status: "silent",
      message: "connect ECONNREFUSED",
    });
  });
});
