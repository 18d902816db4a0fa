// docs/reference.md against the schemas it is made of, and the defaults that it tells against those that plan/ applies.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderReference } from "../../crds/to-reference.ts";
import { parseDurationMs } from "../../crds/units.ts";
import { sampleAgent, sampleInstance } from "../../plan/testing/resources.ts";
import { effectiveSettings } from "../../plan/settings.ts";
import { root } from "./pages.ts";

const page = readFileSync(join(root, "docs/reference.md"), "utf8");

/** The column Default of a field, by the heading it stands under. */
function defaultOf(section: string, field: string): string {
  const part = page.split(`\n### ${section}\n`)[1]?.split("\n#")[0];
  const row = part?.split("\n").find((line) => line.startsWith(`| \`${field}\``));
  const [, , , cell] = row?.split(" | ").flatMap((text, at) => (at === 0 ? ["", text] : [text])) ?? [];
  if (cell === undefined) throw new Error(`expected a row ${field} under ${section}`);
  return cell.replaceAll("`", "").trim();
}

test("docs/reference.md is what the schemas say (make crds)", () => {
  expect(page).toBe(renderReference());
});

const settings = effectiveSettings(sampleAgent("a"), sampleInstance());
const { limits, history, request, scope, drainTimeoutMs, networkPolicy, resources } = settings;

test.each<[string, string, unknown]>([
  ["pallasagent.spec", "scope", scope],
  ["pallasagent.spec", "replicas", sampleAgent("a").spec.replicas],
  ["pallasagent.spec", "emitLoopProgress", sampleAgent("a").spec.emitLoopProgress],
  ["pallasagent.spec.limits", "toolCalls", limits.toolCalls],
  ["pallasagent.spec.limits", "totalTokens", limits.totalTokens],
  ["pallasagent.spec.limits", "toolResultBytes", limits.toolResultBytes],
  ["pallasagent.spec.limits", "queuedCalls", limits.queuedCalls],
  ["pallasagent.spec.limits", "concurrentCalls", limits.concurrentCalls],
  ["pallasagent.spec.history", "compactAt", history.compactAt],
  ["pallasagent.spec.history", "keepTurns", history.keepTurns],
  ["pallasagent.spec.request", "parallelToolCalls", request.parallelToolCalls],
  ["pallasagent.spec.request", "maxSteps", request.maxSteps],
  ["pallasagent.spec.networkPolicy", "enabled", networkPolicy.enabled],
])("%s.%s has the default that plan/ applies", (section, field, applied) => {
  expect(defaultOf(section, field)).toBe(String(applied));
});

test.each([
  ["pallasagent.spec", "drainTimeout", drainTimeoutMs],
  ["pallasagent.spec.limits", "wallClock", limits.wallClockMs],
  ["pallasagent.spec.history", "idleTtl", history.idleTtlMs],
])("%s.%s has the duration that plan/ applies", (section, field, applied) => {
  expect(parseDurationMs(defaultOf(section, field))).toBe(applied);
});

test("resources and the size of histories have the defaults that plan/ applies", () => {
  const { requests, limits: most } = resources;
  const told = (field: string) => defaultOf("pallasagent.spec.resources", field);
  expect(told("requests")).toContain(`${String(requests["cpu"])} CPU, ${String(requests["memory"])} memory`);
  expect(told("limits")).toContain(`${String(most["memory"])} memory`);
  expect(defaultOf("pallasagent.spec.history", "maxBytes")).toMatch(/^1Gi,/);
  expect(history.maxBytes).toBe(2 ** 30);
});
