import { describe, expect, it } from "vitest";
import { ApiError, TransportError } from "../lib/kube/api-error.ts";
import { Conflict, Waiting } from "../lib/kube/outcome.ts";
import { failureOf, lastingFailures, RemovalFailed } from "./failure.ts";

const answer = (status: number) => new ApiError({ status, reason: "X", message: `HTTP ${status}` });
const waiting = (reason: string) => new Waiting({ reason, message: "later", retryMs: 1 });
const reasonOf = (error: Error, failures = 0) => failureOf(error, failures)?.reason;

describe("OPR-3 what a failed write says on its resource", () => {
  it.each([400, 403, 404, 409, 422])("a refusal with %i is said at once", (status) => {
    expect(reasonOf(answer(status))).toBe("ApiError");
  });

  it.each([
    ["the server's 500", answer(500)],
    ["its 503", answer(503)],
    ["its 429", answer(429)],
    ["no answer in time", new TransportError("late", { cause: undefined, timedOut: true })],
  ])("%s is said once it lasts, not before", (_, error) => {
    expect(reasonOf(error, lastingFailures - 1)).toBeUndefined();
    expect(reasonOf(error, lastingFailures)).toBe("ApiError");
  });

  it("a server that is away is never said: no status could be written", () => {
    expect(reasonOf(new TransportError("refused", { cause: undefined }), lastingFailures)).toBeUndefined();
  });

  it.each([
    ["somebody else's object", new Conflict({ message: "x" }), "NameConflict"],
    ["a child that could not be removed", new RemovalFailed("Service a", answer(500)), "ApiError"],
    ["a child on its way out", waiting("ChildTerminating"), "Progressing"],
    ["a namespace on its way out", waiting("NamespaceTerminating"), "NamespaceTerminating"],
    ["a cache that is behind", waiting("CacheBehind"), undefined],
    ["a mistake of ours", new TypeError("x"), undefined],
  ])("%s", (_, error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});
