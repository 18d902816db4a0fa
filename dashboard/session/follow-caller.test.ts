// Whose the page is, and what goes when it becomes somebody else's.
import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { ConnectionState } from "../connect/connection.ts";
import { createResources } from "../connect/resources.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { followCaller } from "./follow-caller.ts";

const textOf = (subject: string): string =>
  JSON.stringify({
    ...{ subject, name: subject, role: "operator", instance: "ouranos", namespace: "agents", version: "1.0.0" },
    ...{ agents: ["*"], servers: ["*"], management: "approve" },
  });

function open() {
  const token = signal<string | undefined>("a");
  const signIns = signal(0);
  const done: string[] = [];
  let subject = "lea";
  let changed = () => {};
  const source = {
    state: signal<ConnectionState>({ kind: "live" }),
    read: async () => textOf(subject),
    follow(_: string, onChange: () => void) {
      changed = onChange;
      return () => undefined;
    },
  };
  const followed = followCaller({
    session: { token, signIns },
    connection: { open: () => done.push("open"), close: () => done.push("close") },
    resources: createResources(source, createFakeTime()),
    forget: () => done.push("forget"),
  });
  const name = (who: string) => void (subject = who);
  const tell = async (who: string) => {
    name(who);
    changed();
    await expect.poll(() => followed.caller.value?.subject).toBe(who);
  };
  return { ...followed, token, signIns, done, name, tell };
}

describe("UI-1 whose the page is", () => {
  it("is whom the gateway names, and nothing goes when they sign in again", async () => {
    const { caller, people, done, tell, token, signIns } = open();
    await tell("lea");
    expect([caller.value?.name, people.value]).toEqual(["lea", 0]);
    token.value = "b";
    signIns.value += 1;
    await tell("lea");
    expect(people.value).toBe(0);
    expect(done).not.toContain("forget");
  });

  it("is somebody else's once the gateway names another: what was there is forgotten, and asked for anew", async () => {
    const { caller, people, done, tell, token } = open();
    await tell("lea");
    token.value = "of another";
    done.length = 0;
    await tell("max");
    expect(done).toEqual(["forget", "open"]);
    expect(people.value).toBe(1);
    await tell("max");
    expect([caller.value?.name, people.value]).toEqual(["max", 1]);
  });

  it("is nobody's after a sign-out, and the next one's without a word of who was before", async () => {
    const { caller, people, done, name, tell, token } = open();
    await tell("lea");
    token.value = undefined;
    expect(done.slice(-2)).toEqual(["close", "forget"]);
    expect(caller.value).toBeUndefined();
    name("max");
    token.value = "c";
    await tell("max");
    expect([caller.value?.name, people.value]).toEqual(["max", 0]);
  });
});
