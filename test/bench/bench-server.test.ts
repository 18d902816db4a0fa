import { expect, it } from "vitest";
import { countWrites, eventsIn, renderWrites, totalOf, writesBetween } from "./bench-server.ts";
import { parseMetrics } from "./prometheus-text.ts";

const series = (verb: string, resource: string, value: number, more = 'subresource="",code="200"') =>
  `apiserver_request_total{verb="${verb}",resource="${resource}",${more}} ${value}`;
const count = (...lines: string[]) => countWrites(parseMetrics(lines.join("\n"), ["apiserver_request_total"]));

it("counts what changes something, by kind, over all verbs", () => {
  const writes = count(
    series("APPLY", "configmaps", 3, 'subresource="",code="201"'),
    series("APPLY", "configmaps", 2),
    series("PATCH", "configmaps", 1),
    series("APPLY", "pallasagents", 4, 'subresource="status",code="200"'),
    series("POST", "events", 5, 'subresource="",code="201"'),
    series("APPLY", "services", 1, 'subresource="",code="409"'),
    ...["GET", "LIST", "WATCH"].map((verb) => series(verb, "configmaps", 1_000)),
    series("PUT", "leases", 50),
    series("POST", "ipaddresses", 7, 'subresource="",code="201"'),
  );
  expect(Object.fromEntries(writes)).toEqual({
    ...{ configmaps: 6, "pallasagents/status": 4, events: 5, "services (409)": 1 },
  });
  expect([totalOf(writes), eventsIn(writes)]).toEqual([16, 5]);
});

it("says what came between two readings, new kinds with it and idle ones left out", () => {
  const before = new Map([
    ["configmaps", 6],
    ["services", 2],
  ]);
  const after = new Map([...before, ["configmaps", 9], ["events", 1]] as const);
  const between = writesBetween(before, after);
  expect(Object.fromEntries(between)).toEqual({ configmaps: 3, events: 1 });
  expect(renderWrites(between, 2)).toBe("configmaps 1.5, events 0.5");
});
