// Subscriptions to resources of a table, by the Python SDKs in both eras: subscribe, change, be notified, read again.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { serveChangingTable } from "../../lib/mcp/changing-table.fixture.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { pythonSubscribers, startPythonSubscriber } from "../python/subscriber.ts";

const patience = { timeout: 30_000, interval: 100 };
const python = await findPython();

describe.each(pythonSubscribers)("MGM-2 $name", ({ version, args, protocol }) => {
  test.skipIf(python === undefined)(
    "subscribes, hears of changes, reads again and unsubscribes; what it may not read is unknown",
    { timeout: 900_000 },
    async () => {
      if (python === undefined) return;
      const table = await serveChangingTable();
      onTestFinished(() => table.stop());
      const client = await startPythonSubscriber(await openEnvironment(python, version), args, table.url);
      onTestFinished(() => client.stop());
      expect(client.protocol).toBe(protocol);
      expect(await client.act("read", "note://a")).toBe("first");
      expect(await client.act("subscribe", "note://a")).toBe("");
      expect(await client.act("subscribe", "note://b")).toBe("");
      table.put("note://a", "changed");
      await vi.waitFor(() => expect(client.updates()).toEqual(["note://a"]), patience);
      expect(await client.act("read", "note://a")).toBe("changed");
      expect(await client.act("unsubscribe", "note://a")).toBe("");
      table.put("note://a", "again");
      table.put("note://b", "again");
      await vi.waitFor(() => expect(client.updates()).toEqual(["note://a", "note://b"]), patience);
      for (const uri of ["note://secret/x", "note://none"]) {
        expect(await client.act("subscribe", uri)).toMatch(/^failed: .*(not found|lost|not acknowledged)/i);
        expect(await client.act("read", uri)).toMatch(/^failed: .*not found/i);
      }
    },
  );
});
