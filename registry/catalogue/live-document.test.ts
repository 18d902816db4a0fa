import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { LiveDocument } from "./live-document.ts";

const create = () => new LiveDocument({ contentType: "text/plain", cacheControl: "no-cache" }, silentLog());
const plainOf = (document: LiveDocument) => Buffer.from(document.current()?.identity.body ?? "").toString();

describe("CAT-8 a text served while it changes", () => {
  it("is there plain at once, and compressed a moment later", async () => {
    const document = create();
    expect(document.current()).toBeUndefined();
    document.set("one");
    expect(plainOf(document)).toBe("one");
    expect(document.current()?.gzip).toBeUndefined();
    await document.settled();
    const { gzip, br } = document.current() ?? {};
    expect(gunzipSync(gzip?.body ?? "").toString()).toBe("one");
    expect(brotliDecompressSync(br?.body ?? "").toString()).toBe("one");
    expect(gzip?.headers[200]).toEqual({
      ETag: gzip?.etag,
      "Cache-Control": "no-cache",
      Vary: "Accept-Encoding",
      "Content-Type": "text/plain",
      "Content-Length": String(gzip?.body.byteLength),
      "Content-Encoding": "gzip",
    });
  });

  it("is never served compressed and old beside plain and new, however fast it changes", async () => {
    const document = create();
    const stale: string[] = [];
    for (let version = 0; version < 200; version += 1) {
      const last = `version ${version} ${"x".repeat(10_000)}`;
      document.set(last);
      expect(plainOf(document)).toBe(last);
      await new Promise(setImmediate);
      const { gzip, br } = document.current() ?? {};
      const texts = [gzip && gunzipSync(gzip.body), br && brotliDecompressSync(br.body)].map(String);
      stale.push(...[...texts, plainOf(document)].filter((text) => text !== "undefined" && text !== last));
    }
    await document.settled();
    expect(stale).toEqual([]);
  });

  it("is there in every encoding once it has settled, the last of those that came meanwhile", async () => {
    const document = create();
    document.set("old");
    document.set("older than the last");
    document.set("last");
    await document.settled();
    const { gzip, br } = document.current() ?? {};
    expect(plainOf(document)).toBe("last");
    expect(String(gunzipSync(gzip?.body ?? ""))).toBe("last");
    expect(String(brotliDecompressSync(br?.body ?? ""))).toBe("last");
  });

  it("the same text again changes nothing", async () => {
    const document = create();
    document.set("one");
    await document.settled();
    const before = document.current();
    document.set("one");
    expect(document.current()).toBe(before);
  });
});
