// What somebody hears of themselves.
import { expect, test } from "vitest";
import type { Identity } from "../../../lib/auth/roles.ts";
import { readFamily } from "../testing/read-family.ts";
import { person } from "../testing/management.ts";
import { createCaller } from "./caller.ts";

const here = { instance: "ouranos", namespace: "agents", version: "1.2.3", management: "approve" } as const;
const family = createCaller(here);

test("MGM-2 somebody reads who they are, their role, what they see, and when their token ends", async () => {
  const rights = { kind: "person", name: "approver", groups: [], role: "approver", agents: ["*"], servers: ["*"] };
  expect(await readFamily(family, person("approver"))).toEqual({
    ...rights,
    ...here,
    subject: "person approver",
    expires_at: null,
  });
  const narrow = { ...person("viewer", { agents: ["a*"], servers: [] }), expiresAtMs: Date.UTC(2026, 0, 1) };
  const seen = { role: "viewer", agents: ["a*"], servers: [], expires_at: "2026-01-01T00:00:00.000Z" };
  expect(await readFamily(family, narrow)).toMatchObject(seen);
});

test("whoever has no role reads nothing, and neither does an agent", async () => {
  const agent: Identity = { kind: "agent", agent: "clerk", subject: "clerk", name: "agent:clerk" };
  for (const identity of [person(undefined), agent]) {
    expect(await readFamily(family, identity)).toBeUndefined();
    expect(family.listKeys(identity)).toEqual([]);
  }
});
