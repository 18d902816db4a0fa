import { describe, expect, it } from "vitest";
import { listingOf, sampleServer } from "../testing/listed.ts";
import { createServerRecords } from "./records.ts";

const start = Date.UTC(2026, 10, 22);
const day = 24 * 3_600_000;

function make() {
  let time = start;
  const records = createServerRecords({ now: () => time });
  const shown = () =>
    (records.all() ?? []).map(({ name, isDeleted }) => `${isDeleted ? "-" : ""}${name.split("/")[1]}`);
  const updatedAt = (name: string) => new Date(records.find(`ca.helu.ouranos/${name}`)?.updatedAt ?? 0).toISOString();
  return { records, shown, updatedAt, pass: (ms: number) => void (time += ms) };
}

describe("CAT-10 what is kept of servers", () => {
  it("nothing before the first listing, then all by name", () => {
    const { records, shown } = make();
    expect(records.all()).toBeUndefined();
    records.update(listingOf(sampleServer("writer"), sampleServer("coder")));
    expect(shown()).toEqual(["coder", "writer"]);
  });

  it("what goes stays as a tombstone, and lives again when it comes back", () => {
    const { records, shown, pass } = make();
    const [coder, writer] = [sampleServer("coder"), sampleServer("writer")];
    records.update(listingOf(coder, writer));
    pass(5_400);
    records.update(listingOf(coder));
    expect(shown()).toEqual(["coder", "-writer"]);
    const tombstone = JSON.parse(records.find("ca.helu.ouranos/writer")?.text ?? "");
    expect(tombstone.server).toEqual(writer.entry.server);
    expect(tombstone._meta["io.modelcontextprotocol.registry/official"]).toEqual({
      status: "deleted",
      statusChangedAt: "2026-11-22T00:00:05Z",
      publishedAt: "2026-11-21T10:00:00Z",
      updatedAt: "2026-11-22T00:00:05Z",
      isLatest: true,
    });
    records.update(listingOf(coder, sampleServer("writer")));
    expect(shown()).toEqual(["coder", "writer"]);
  });

  it("a tombstone is kept for seven days and no longer", () => {
    const { records, shown, pass } = make();
    records.update(listingOf(sampleServer("coder")));
    records.update(listingOf());
    pass(7 * day);
    expect(shown()).toEqual(["-coder"]);
    pass(1);
    expect(shown()).toEqual([]);
    expect(records.find("ca.helu.ouranos/coder")).toBeUndefined();
  });

  it("a thousand tombstones are kept; one more, and the oldest goes", () => {
    const { records, shown, pass } = make();
    const servers = Array.from({ length: 1_001 }, (_, at) => sampleServer(`agent-${at}`));
    records.update(listingOf(...servers));
    records.update(listingOf(...servers.slice(1_000)));
    expect(shown().filter((name) => name.startsWith("-"))).toHaveLength(1_000);
    pass(1_000);
    records.update(listingOf());
    expect(shown()).toHaveLength(1_000);
    expect(shown()).toContain("-agent-1000");
    expect(shown()).not.toContain("-agent-0");
  });

  it("an entry has changed when it says so itself, be it new here or not, and never by its health", () => {
    const { records, updatedAt, pass } = make();
    const first = sampleServer("coder");
    records.update(listingOf(first));
    pass(1_000);
    const unwell = {
      ...first,
      entry: { ...first.entry, _meta: { ...first.entry._meta, "ca.helu.pallas/runtime": { readyReplicas: 0 } } },
    };
    records.update(listingOf(unwell, sampleServer("new")));
    expect([updatedAt("coder"), updatedAt("new")]).toEqual(["2026-11-21T10:00:00.000Z", "2026-11-21T10:00:00.000Z"]);
    const specChangedAt = "2026-11-21T23:00:00Z";
    records.update(listingOf(sampleServer("coder", {}, { version: "2.0.0" }, { specChangedAt }), sampleServer("new")));
    expect([updatedAt("coder"), updatedAt("new")]).toEqual(["2026-11-21T23:00:00.000Z", "2026-11-21T10:00:00.000Z"]);
  });

  it("a name that comes back has changed then, and so it stays", () => {
    const { records, updatedAt, pass } = make();
    records.update(listingOf(sampleServer("coder")));
    records.update(listingOf());
    pass(2_500);
    records.update(listingOf(sampleServer("coder")));
    expect(updatedAt("coder")).toBe("2026-11-22T00:00:02.000Z");
    pass(5_000);
    records.update(listingOf(sampleServer("coder")));
    expect(updatedAt("coder")).toBe("2026-11-22T00:00:02.000Z");
  });

  it("a name that another agent takes over has changed then", () => {
    const { records, updatedAt, pass } = make();
    const first = sampleServer("coder");
    records.update(listingOf(first));
    pass(2_500);
    const { agent } = first;
    const other = { ...first, agent: { ...agent, metadata: { ...agent.metadata, namespace: "other" } } };
    records.update(listingOf(other));
    expect(updatedAt("coder")).toBe("2026-11-22T00:00:02.000Z");
  });
});
