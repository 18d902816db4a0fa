// Where a token may come from, where it is kept, and how it goes.
import { effect } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { createSession, type SessionPlace } from "./session.ts";

function open({ hash = "", kept, isLocal = false }: { hash?: string; kept?: string; isLocal?: boolean } = {}) {
  const stored = new Map(kept === undefined ? [] : [["pallas.token", kept]]);
  const addresses: string[] = [];
  const place: SessionPlace = {
    location: { hash, pathname: "/ui/", search: "" },
    history: { replaceState: (_state, _title, url) => void addresses.push(String(url)) },
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
  };
  const session = createSession(place, () => isLocal);
  return { session, addresses, stored: () => [...stored.values()] };
}

describe("UI-1 a token in the address", () => {
  it("is taken out of it at once, and is kept nowhere", () => {
    const { session, addresses, stored } = open({ hash: "#token=abc" });
    expect(session.token.value).toBe("abc");
    expect(addresses).toEqual(["/ui/#/"]);
    expect(stored()).toEqual([]);
  });

  it("of a run on this machine is kept for the tab", () => {
    expect(open({ hash: "#token=abc", isLocal: true }).stored()).toEqual(["abc"]);
  });

  it("comes before one that was kept", () => {
    expect(open({ hash: "#token=new", kept: "old" }).session.token.value).toBe("new");
  });

  it("has 8,192 characters at most, and is taken out of it also where it is none", () => {
    expect(open({ hash: `#token=${"a".repeat(8_192)}` }).session.token.value).toHaveLength(8_192);
    const tooLong = open({ hash: `#token=${"a".repeat(8_193)}` });
    expect(tooLong.session.token.value).toBeUndefined();
    expect(tooLong.addresses).toEqual(["/ui/#/"]);
  });

  it("that is no text of an address is no token, and the page opens", () => {
    const { session, addresses } = open({ hash: "#token=%zz" });
    expect(session.token.value).toBeUndefined();
    expect(addresses).toEqual(["/ui/#/"]);
  });

  it("is looked for in no other route", () => {
    const { session, addresses } = open({ hash: "#/agents?token=abc" });
    expect(session.token.value).toBeUndefined();
    expect(addresses).toEqual([]);
  });
});

describe("UI-1 a token that somebody types", () => {
  it("is kept over a reload only where they ask for it, and forgotten where the next time they do not", () => {
    const { session, stored } = open();
    session.signIn("abc", false);
    expect([session.token.value, stored()]).toEqual(["abc", []]);
    session.signIn("abc", true);
    expect(stored()).toEqual(["abc"]);
    expect(open({ kept: "abc" }).session.token.value).toBe("abc");
    session.signIn("other", false);
    expect(stored()).toEqual([]);
  });

  it("is gone from everywhere once they sign out", () => {
    const { session, stored } = open();
    session.signIn("abc", true);
    session.signOut();
    expect([session.token.value, stored()]).toEqual([undefined, []]);
  });
});

describe("UI-1 a token that the gateway refuses", () => {
  it("ends the sign-in, leaves the page as it is, and is kept no more", () => {
    const { session, stored } = open({ kept: "abc" });
    session.onRefused("abc");
    expect([session.hasEnded.value, session.token.value, stored()]).toEqual([true, "abc", []]);
    session.signIn("new", false);
    expect([session.hasEnded.value, session.token.value]).toEqual([false, "new"]);
  });

  it("is told of once more when somebody signs in with it again, since it may hold again", () => {
    const { session } = open({ kept: "abc" });
    const told: unknown[] = [];
    effect(() => void told.push([session.token.value, session.signIns.value]));
    session.onRefused("abc");
    session.signIn("abc", false);
    expect(told).toEqual([
      ["abc", 0],
      ["abc", 1],
    ]);
  });

  it("says nothing of the one that came after it", () => {
    const { session } = open();
    session.signIn("new", false);
    session.onRefused("old");
    expect(session.hasEnded.value).toBe(false);
  });
});
