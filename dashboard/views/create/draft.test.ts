import { describe, expect, it } from "vitest";
import {
  emptyDraft,
  instructionSource,
  readNames,
  readPolicy,
  readText,
  setPolicy,
  setText,
  toggleName,
} from "./draft.ts";
import { keep, readKept } from "./kept-draft.ts";
import { tellWillBe } from "./will-be.ts";

describe("a draft", () => {
  it("takes away what is emptied, so that the instance's own holds", () => {
    const spec = setText(setText({}, "model", "a.b"), "title", "T");
    expect(spec).toEqual({ model: "a.b", title: "T" });
    expect(setText(spec, "model", "")).toEqual({ title: "T" });
    expect(setPolicy(setPolicy({}, "careful"), "")).toEqual({});
    expect(readText(spec, "title")).toBe("T");
    expect(readText({ title: 7 }, "title")).toBe("");
  });

  it("keeps a changed field in its place", () => {
    expect(Object.keys(setText({ title: "a", model: "m" }, "title", "b"))).toEqual(["title", "model"]);
  });

  it("keeps what other entries of a list say beside their names", () => {
    const spec = { servers: [{ name: "bank", tools: { allow: ["list_*"] } }], agents: [{ name: "clerk" }] };
    const more = toggleName(spec, "servers", "mail");
    expect(more["servers"]).toEqual([{ name: "bank", tools: { allow: ["list_*"] } }, { name: "mail" }]);
    expect(toggleName(more, "servers", "mail")).toEqual(spec);
    expect(toggleName(spec, "agents", "clerk")).not.toHaveProperty("agents");
  });

  it("reads nothing from fields of another form", () => {
    expect(readNames({ servers: "bank" }, "servers")).toEqual([]);
    expect(readNames({ servers: [{ name: "a" }, "b", null, { name: 1 }] }, "servers")).toEqual(["a"]);
    expect(readPolicy({ policyRef: "careful" })).toBe("");
    expect(instructionSource({ instructionFrom: { configMapKeyRef: { name: "texts", key: "a" } } })).toBe("texts");
  });

  it("is told in a sentence before it is made", () => {
    const spec = {
      model: "m",
      servers: ["a", "b", "c", "d"].map((name) => ({ name })),
      policyRef: { name: "careful" },
    };
    expect(tellWillBe({ name: "reader", spec }, "ouranos")).toBe(
      "It will be reader, an agent of ouranos, on m, with the tools of a, b, c and 1 more, under the policy careful.",
    );
    expect(tellWillBe(emptyDraft, "ouranos")).toContain("an agent of ouranos, on the model of the instance");
  });
});

describe("a kept draft", () => {
  const createStorage = () => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
  };

  it("is there again for who wrote it, and for nobody else", () => {
    const storage = createStorage();
    keep(storage, "mara", { name: "reader", spec: { model: "m" } });
    expect(readKept(storage, "mara")).toEqual({ name: "reader", spec: { model: "m" } });
    expect(readKept(storage, "jonas")).toBeUndefined();
    keep(storage, "mara", emptyDraft);
    expect(readKept(storage, "mara")).toBeUndefined();
  });

  it("is none where something else is kept, or where it does not fit", () => {
    const full = {
      ...createStorage(),
      setItem: () => {
        throw new Error("QuotaExceededError");
      },
    };
    expect(() => keep(full, "mara", { name: "reader", spec: {} })).not.toThrow();
    expect(readKept({ getItem: () => "{oops" }, "mara")).toBeUndefined();
  });
});
