import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { findPython, openEnvironment } from "../python/environment.ts";
import { isProgress, type ObservedCall, type Observation, type Visit } from "./daedalus/observation.ts";
import { observeWithPython } from "./daedalus/python-client.ts";
import { startTeam, type Team } from "./daedalus/team.ts";
import { connect1, connect2, observeWithTypeScript } from "./daedalus/typescript-clients.ts";

const python = await findPython();
const installTimeoutMs = 600_000;
/** A visit takes a second or two; a call that nobody cancels holds it up until then. */
const visitDeadlineMs = 30_000;

interface ClientCase {
  name: string;
  /** How a version of the protocol of its era begins. */
  protocol: string;
  skip?: boolean;
  observe(visit: Visit): Promise<Observation>;
}

const pythonCase = (major: 1 | 2, mode: "legacy" | "auto", protocol: string): ClientCase => ({
  name: `Python SDK ${major}.x, ${protocol.slice(0, 4)} era`,
  protocol,
  skip: python === undefined,
  async observe(visit) {
    if (python === undefined) throw new Error("no Python");
    return observeWithPython(await openEnvironment(python, major), mode, visit);
  },
});

const clients: ClientCase[] = [
  pythonCase(1, "legacy", "2025-"),
  pythonCase(2, "legacy", "2025-"),
  pythonCase(2, "auto", "2026-07-28"),
  {
    name: "TypeScript SDK 1.x, 2025 era",
    protocol: "2025-",
    observe: (visit) => observeWithTypeScript(connect1, visit),
  },
  {
    name: "TypeScript SDK 2.x, 2025 era",
    protocol: "2025-",
    observe: (visit) => observeWithTypeScript(connect2("legacy"), visit),
  },
  {
    name: "TypeScript SDK 2.x, 2026 era",
    protocol: "2026-07-28",
    observe: (visit) => observeWithTypeScript(connect2({ pin: "2026-07-28" }), visit),
  },
];

/** What makes `passthrough` call a tool. */
const callTool = (name: string, args: object): string => `***CALL_TOOL ${name} ${JSON.stringify(args)}`;
const askScout = (message: string): string => callTool("tech_scout__tech_scout", { message });

const message = askScout(callTool("argos__search", { query: "owls" }));
const answer = "3 results for owls";

/** PRG-2, PRG-3, PRG-4: every line of one call, in order, with what its numbers say. */
const wholeProgress = [
  "harper step 1 (llm)",
  "harper step 2 (tool)",
  "tech_scout/tech_scout__tech_scout: started",
  "tech_scout step 1 (llm)",
  "tech_scout step 2 (tool)",
  "argos/search: started",
  "argos/search: looking",
  "argos/search: completed, done",
  "tech_scout step 3 (llm)",
  "tech_scout/tech_scout__tech_scout: completed, done",
  "harper step 3 (llm)",
];

const progressOf = (call: ObservedCall) => call.received.filter(isProgress).map(({ params }) => params);

/** The lines of a call; a number that does not rise and a total that is neither absent nor the progress are named. */
function describeProgress(call: ObservedCall): string[] {
  let last = Number.NEGATIVE_INFINITY;
  return progressOf(call).map(({ progress, total, message }) => {
    const falls = progress > last ? "" : `, ${progress} after ${last}`;
    last = progress;
    const ending = total === undefined ? "" : total === progress ? ", done" : `, ${progress} of ${total}`;
    return `${message}${falls}${ending}`;
  });
}

const tokensOf = (call: ObservedCall) => new Set(progressOf(call).map(({ progressToken }) => progressToken));

/** One response, and nothing after it. */
const oneResponse = (call: ObservedCall) => call.received.map((each) => !isProgress(each));

let team: Team;

beforeAll(async () => {
  team = await startTeam();
  return () => team.stop();
});

describe.each(clients)("Daedalus on the $name", ({ name, protocol, skip = false, observe }) => {
  let seen: Observation;
  let cancelledAtMs: number | undefined;

  beforeAll(async () => {
    if (skip) return;
    const cancelMessage = askScout(callTool("argos__wait", { id: name }));
    const noted = team.whenCancelled(name).then((atMs) => (cancelledAtMs = atMs));
    const stayUntil = Promise.race([noted, delay(visitDeadlineMs, undefined, { ref: false })]);
    seen = await observe({
      stayUntil,
      registryUrl: team.registryUrl,
      agent: "harper",
      message,
      cancelMessage,
      cancelAt: "argos/wait: started",
    });
  }, installTimeoutMs);

  test.skipIf(skip)("CAT-1 CAT-4 CAT-5 finds the agent in server.json and connects to the URL found there", () => {
    expect(seen.entry.server).toMatchObject({
      name: "ca.helu.ouranos/harper",
      title: "Harper",
      description: "Asks the scout",
      remotes: [{ type: "streamable-http", url: expect.stringMatching(/^http:\/\/localhost:\d+\/mcp$/) }],
      capabilities: { model: "passthrough", vision: false, context_window: 200_000, max_output_tokens: 32_000 },
    });
  });

  test.skipIf(skip)("AGT-6 speaks the era that the client asked for", () => {
    expect(seen.protocol).toMatch(new RegExp(`^${protocol}`));
  });

  test.skipIf(skip)(
    "AGT-1 AGT-3 lists send_message, the agent's own name, and get_health exactly as Daedalus knows it",
    () => {
      expect(seen.tools.map((tool) => tool.name)).toEqual(["send_message", "harper", "get_health", "clear_history"]);
      expect(seen.tools[1]?.inputSchema).toEqual(seen.tools[0]?.inputSchema);
      expect(seen.tools[2]).toEqual({
        name: "get_health",
        description: "Returns the health status of this agent and its downstream dependencies.",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
      });
    },
  );

  test.skipIf(skip)("HLT-1 get_health answers one text block: ok, and when", () => {
    expect(seen.health).toEqual({ status: "ok", timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
  });

  test.skipIf(skip)(
    "PRG-2 PRG-3 PRG-4 send_message reports every step, the sub-agent's too, with rising numbers",
    () => {
      expect(describeProgress(seen.sent)).toEqual(wholeProgress);
      expect(tokensOf(seen.sent).size).toBe(1);
      // The SDK handed the application what came over the wire.
      const onWire = progressOf(seen.sent).map(({ progress, total = null, message }) => [progress, total, message]);
      expect(seen.sent.seen).toEqual(onWire);
    },
  );

  test.skipIf(skip)(
    "AGT-1 AGT-7 PRG-1 send_message ends in exactly one result, the tool's answer, after all progress",
    () => {
      expect(oneResponse(seen.sent)).toEqual([...wholeProgress.map(() => false), true]);
      expect(seen.sent.result).toMatchObject({ content: [{ type: "text", text: answer }] });
      expect(seen.sent.result.isError ?? false).toBe(false);
    },
  );

  test.skipIf(skip)(
    "AGT-1 PRG-2 the agent's own name does the same, under a progress token of the client's choice",
    () => {
      expect(seen.alias.tool).toBe("harper");
      expect(describeProgress(seen.alias)).toEqual(wholeProgress);
      expect(seen.alias.seen ?? wholeProgress).toHaveLength(wholeProgress.length);
      expect(oneResponse(seen.alias)).toEqual([...wholeProgress.map(() => false), true]);
      expect(seen.alias.result).toMatchObject({ content: [{ type: "text", text: answer }] });
      expect(tokensOf(seen.alias)).toEqual(new Set([seen.alias.token]));
    },
  );

  test.skipIf(skip)("PRG-1 without a progress token there is no progress, only the result", () => {
    expect(oneResponse(seen.withoutToken)).toEqual([true]);
    expect(seen.withoutToken.result).toMatchObject({ content: [{ type: "text", text: answer }] });
  });

  test.skipIf(skip)("AGT-4 AGT-5 the history prompt holds the conversation so far", () => {
    const text = (role: string, text: string) => ({ role, content: { type: "text", text } });
    const exchange = [text("user", message), text("assistant", answer)];
    // Without sessions the call that named no conversation began one of its own.
    const exchanges = protocol.startsWith("2025") ? [exchange, exchange, exchange] : [exchange, exchange];
    expect(seen.history).toEqual(exchanges.flat());
  });

  test.skipIf(skip)("AGT-7 an unknown tool is a JSON-RPC error", () => {
    expect(seen.unknownTool).toEqual({ code: -32_602, message: expect.stringContaining("no_such_tool") });
  });

  test.skipIf(skip)("AGT-8 a cancelled call ends at the tool server within 1 s, and the agent serves on", () => {
    expect((cancelledAtMs ?? Number.NaN) - seen.cancellation.cancelledAtMs).toBeLessThanOrEqual(1_000);
    expect(seen.cancellation.healthAfter).toMatchObject({ status: "ok" });
  });
});
