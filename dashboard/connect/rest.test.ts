// What becomes of an answer that is an error: who said it decides whether it may pass.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toProblem } from "./problem.ts";
import { createRest } from "./rest.ts";

async function kindOf(status: number, body: string): Promise<string> {
  const rest = createRest(async () => new Response(body, { status }));
  const answer = rest({ path: "/api/browse", schema: z.unknown() });
  return await answer.then(
    () => "answered",
    (error: unknown) => toProblem(error).kind,
  );
}

describe("UI-1 an error of REST", () => {
  it.each([
    { status: 503, body: "{}" },
    { status: 502, body: "<h1>Bad gateway</h1>" },
    { status: 500, body: "" },
  ])("may pass where a proxy says it, or nobody: $status $body", async ({ status, body }) => {
    expect(await kindOf(status, body)).toBe("unreachable");
  });

  it.each([
    { status: 501, body: '{"error":"not_configured","message":"no source"}', kind: "refused" },
    { status: 503, body: '{"error":"not_seen_yet"}', kind: "refused" },
    { status: 400, body: "{}", kind: "refused" },
    { status: 404, body: "{}", kind: "gone" },
    { status: 200, body: "{}", kind: "answered" },
  ])("is the gateway's word where it has a sentence, or is the request's fault: $status $body", async (each) => {
    expect(await kindOf(each.status, each.body)).toBe(each.kind);
  });
});
