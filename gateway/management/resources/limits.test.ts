// What one resource of the management server may cost.
import { describe, expect, onTestFinished, test } from "vitest";
import { sampleAgent, sampleInstance } from "../../../plan/testing/resources.ts";
import { startManagement } from "../testing/management.ts";
import { maxAskedAgents } from "./compositor-state.ts";
import { createResources, maxResourceBytes } from "./source.ts";
import type { CallContext } from "../../../lib/mcp/table.ts";
import { person } from "../testing/management.ts";

describe("MGM-2 a resource of the management server", () => {
  test.each([
    ["with as many agents as are asked", maxAskedAgents, undefined],
    ["with one more", maxAskedAgents + 1, 1],
  ])("of a server %s says what it leaves out", async (_what, count, leftOut) => {
    const agents = Array.from({ length: count }, (_, at) => sampleAgent(`a${at}`, { servers: [{ name: "argos" }] }));
    const servers = [{ name: "argos", url: "http://argos.tools.svc:8000/mcp" }];
    const management = await startManagement({ agents, instance: sampleInstance({ servers }) });
    onTestFinished(() => management.stop());
    const read = await (await management.connect("viewer")).read("resource://compositor_meta/state/argos");
    expect(read).toMatchObject({ state: "failed", mounts: expect.objectContaining({ length: maxAskedAgents }) });
    expect(Reflect.get(Object(read), "left_out")).toBe(leftOut);
  });

  test.each([
    ["as large as may be is sent", maxResourceBytes, "sent"],
    ["one byte larger is refused with a sentence", maxResourceBytes + 1, "the most that is sent"],
  ])("%s", async (_what, bytes, outcome) => {
    const source = createResources({
      state: { listAgents: () => [], onChange: () => () => undefined },
      presets: { onChange: () => () => undefined },
      proposals: { onChange: () => () => undefined },
      families: [
        {
          uri: "resource://large",
          name: "Large",
          description: "",
          listKeys: () => [""],
          mayRead: () => true,
          read: async () => "x".repeat(bytes - 2),
        },
      ],
    });
    const context: CallContext = {
      era: "2026",
      requestId: "1",
      signal: new AbortController().signal,
      caller: person("viewer"),
      meta: {},
    };
    const read = source.read("resource://large", context).then(
      () => "sent",
      (error: unknown) => String(error),
    );
    expect(await read).toContain(outcome);
  });
});
