// What the page says of a server: its kind, what it claims of a tool, which conditions are wrong, and why nothing can be written.
import { expect, it } from "vitest";
import { cureOf, isWrong } from "./condition.ts";
import { tellKind, whyReadOnly } from "./server-kind.ts";
import { hintOf } from "./tool-hint.ts";

it("names a kind with its version, and one that it does not know as it is", () => {
  expect([
    tellKind({ kind: "npm", version: "1.4.0" }),
    tellKind({ kind: "container", version: null }),
    tellKind({ kind: "wasm", version: null }),
    tellKind({ kind: "toString", version: null }),
  ]).toEqual(["npm 1.4.0", "container", "wasm", "toString"]);
});

it("offers no writing where servers are files, stand in the instance, or the gateway writes nothing", () => {
  const cluster = { isLocal: false, management: "readWrite" as const };
  expect(whyReadOnly({ kind: "npm" }, cluster)).toBeUndefined();
  expect(whyReadOnly({ kind: "npm" }, { ...cluster, isLocal: true })).toMatch(/files/);
  expect(whyReadOnly({ kind: "instance" }, cluster)).toMatch(/spec\.servers/);
  expect(whyReadOnly({ kind: "npm" }, { ...cluster, management: "approve" })).toMatch(/management: approve/);
});

it("takes a change of a definition for more than what the tool claims, and no claim for none", () => {
  expect(hintOf({ annotations: { readOnlyHint: true } }, true)).toBe("changed");
  expect(hintOf({ annotations: { readOnlyHint: true } }, false)).toBe("reads");
  expect(hintOf({ annotations: { readOnlyHint: false, destructiveHint: true } }, false)).toBe("deletes");
  expect(hintOf({ annotations: { readOnlyHint: false } }, false)).toBe("changes");
  expect(hintOf({ annotations: {} }, false)).toBe("none");
  expect(hintOf({}, false)).toBe("none");
});

it("knows of which conditions it is good to be false", () => {
  expect(isWrong({ type: "Ready", status: "False" })).toBe(true);
  expect(isWrong({ type: "Ready", status: "Unknown" })).toBe(true);
  expect(isWrong({ type: "Stalled", status: "False" })).toBe(false);
  expect(isWrong({ type: "Reconciling", status: "True" })).toBe(true);
});

it("has a cure for a server that is down, and none for a reason that it does not know", () => {
  expect(cureOf("ServerDown")).toMatch(/message names/);
  expect([cureOf("Unheard"), cureOf("toString")]).toEqual([undefined, undefined]);
});
