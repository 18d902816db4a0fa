import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../../agent-runtime/testing/client.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { findPrograms } from "../cluster/programs.ts";
import { startBuiltAgent } from "../integration/agents/built-agent.ts";
import type { ServedRequest } from "../models/journal.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import type { ScriptedReply } from "../models/script.ts";
import { findInterpreter, leastMinor } from "../python/interpreter.ts";
import { needs, needsPresent } from "../tools/needs.ts";
import { startBridge, type ReceivedCall } from "./bridge.ts";
import { readShown, type ShownResult } from "./model-requests.ts";
import { publishedServers, type HarmlessCall, type PublishedServer } from "./published-servers.ts";
import { sampleValue } from "./sample-value.ts";
import { installServers, type Installed } from "./server-commands.ts";
import { dealTools, type ToolsOf } from "./tool-groups.ts";
import { offers, renderProvider, type Offer } from "./vendor-offers.ts";

const maxConcurrentStarts = 4;
const [python, goPrograms] = await Promise.all([findInterpreter(leastMinor), findPrograms("go-sdk")]);
const missing = [python, goPrograms].flatMap((found) => ("missing" in found ? found.missing : []));

/** What the model is told of a call that did not reach its server but the bridge before it. */
interface Reached extends ReceivedCall {
  server: string;
}

interface Started extends ToolsOf {
  stop(): Promise<void>;
}

let installed: Installed;
let servers: Started[] = [];

beforeAll(async () => {
  if (missing.length > 0 || "missing" in python) return;
  installed = await installServers(python);
  const waiting = [...publishedServers];
  const startNext = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) return;
    servers.push(await start(next));
    await startNext();
  };
  await Promise.all(Array.from({ length: maxConcurrentStarts }, startNext));
  servers = servers.toSorted((one, other) => one.name.localeCompare(other.name));
}, 900_000);

afterAll(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  await installed?.stop();
});

async function start(published: PublishedServer): Promise<Started> {
  const { name } = published;
  const bridge = await startBridge({
    command: await installed.render(published),
    lets: (call) => isOwn(published, call),
    answer: (call): string => JSON.stringify({ server: name, ...call } satisfies Reached),
  });
  return { name, ...bridge };
}

/** Whether a call is the server's own to answer. */
function isOwn({ calls }: PublishedServer, { name, arguments: args }: ReceivedCall): boolean {
  const own = calls?.[name];
  return own !== undefined && isSame(installed.fill(own.arguments), args);
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Starts an agent with these tools, has its model call each, and says everything that went otherwise. */
async function callAll(offer: Offer, group: readonly ToolsOf[]): Promise<string[]> {
  const sent = new Map<string, unknown>();
  const own = listOwnCalls(group);
  let results: readonly ShownResult[] = [];
  const answerAsModel = (request: ServedRequest): ScriptedReply => {
    const shown = readShown(request);
    results = shown.results;
    if (results.length > 0) return { text: "done" };
    const toolCalls = shown.tools.map(({ name, schema }) => {
      const call = own.get(name);
      return { name, arguments: call === undefined ? sampleValue(schema) : installed.fill(call.arguments) };
    });
    for (const call of toolCalls) sent.set(call.name, call.arguments);
    return { toolCalls };
  };
  const script = (request: ServedRequest): ScriptedReply => {
    try {
      return answerAsModel(request);
    } catch (error) {
      return { text: String(error) }; // shows as what was answered
    }
  };
  const mock = await startModelMock(script, { vendor: offer.vendor });
  const agent = await startAgent(mock, offer, group);
  try {
    const { text, isError } = await ask(`${agent.url}/mcp`, { message: "Call every tool." });
    const refused = mock.refused
      .map(({ refusal }) => `refused: ${refusal?.message}`)
      .filter(() => offer.learns !== true);
    const answered = isError || text !== "done" ? [`answered: ${text}`] : [];
    return [...refused, ...answered, ...judge(group, sent, results)];
  } finally {
    await agent.stop();
    await mock.close();
  }
}

function startAgent(mock: ModelMock, { kind, model: name }: Offer, group: readonly ToolsOf[]) {
  const [model] = renderTestConfig().models;
  if (model === undefined) throw new Error("expected a model in the configuration for tests");
  const capabilities = { ...model.capabilities, contextWindow: 2_000_000 };
  return startBuiltAgent(mock, {
    limits: { ...renderTestConfig().limits, toolCalls: 2_000, wallClockMs: 600_000 },
    providers: [renderProvider(kind, mock)],
    models: [{ ...model, ref: `mock.${name}`, provider: "mock", name, capabilities }],
    servers: group.map(({ name, url, tools }) =>
      renderTestServer(name, url, { allow: tools.map((tool) => tool.name) }),
    ),
  });
}

/** The calls that servers answer themselves, by the name that a model is given. */
const listOwnCalls = (group: readonly ToolsOf[]): ReadonlyMap<string, HarmlessCall & { reaches: string }> =>
  new Map(
    group.flatMap(({ name, tools }) => {
      const { calls = {} } = publishedServers.find((server) => server.name === name) ?? {};
      return Object.entries(calls)
        .filter(([tool]) => tools.some((each) => each.name === tool))
        .map(([tool, call]) => [`${name}__${tool}`, { ...call, reaches: `${name}/${tool}` }]);
    }),
  );

/** What is wrong with what came back: each tool of the group must have been called, by its own name and as was sent. */
function judge(
  group: readonly ToolsOf[],
  sent: ReadonlyMap<string, unknown>,
  results: readonly ShownResult[],
): string[] {
  const own = listOwnCalls(group);
  const missed = new Set(group.flatMap(({ name, tools }) => tools.map((tool) => `${name}/${tool.name}`)));
  const problems = results.flatMap(({ name, text }) => {
    const args = sent.get(name);
    const reaches = own.has(name) ? readOwn(own.get(name), text) : readReached(name, { text, args, sent });
    if (reaches !== undefined && missed.delete(reaches)) return [];
    return [`${name} with ${JSON.stringify(args)}: ${text.slice(0, 300)}`];
  });
  return [...problems, ...[...missed].map((tool) => `never reached: ${tool}`)];
}

const readOwn = (call: (HarmlessCall & { reaches: string }) | undefined, text: string): string | undefined =>
  call?.says.test(text) === true ? call.reaches : undefined;

/** By what the bridge says: which tool was called, if that is the one of this name, with the arguments sent. */
function readReached(
  name: string,
  { text, args, sent }: { text: string; args: unknown; sent: ReadonlyMap<string, unknown> },
): string | undefined {
  const reached = parseReached(text);
  if (reached === undefined || !isSame(reached.arguments, args)) return undefined;
  const plain = `${reached.server}__${reached.name}`;
  // Only what no provider takes as a name is given another.
  return sent.has(plain) && plain !== name ? undefined : `${reached.server}/${reached.name}`;
}

function parseReached(text: string): Reached | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // some problem, told as it is
  }
}

describe("published MCP servers", needs("git"), () => {
  describe("with what starts them", needsPresent(missing.join("; ") || undefined), () => {
    test("are at least 25, and each lends tools", () => {
      expect(servers.length).toBeGreaterThanOrEqual(25);
      expect(servers.filter(({ tools }) => tools.length === 0).map(({ name }) => name)).toEqual([]);
    });

    test.each(offers)(
      "AGT-15 $vendor by the provider kind $kind takes all their tools, and each is called by the name that the model was given",
      { timeout: 600_000 },
      async (offer) => {
        const problems: string[] = [];
        for (const group of dealTools(servers, offer.maxTools)) problems.push(...(await callAll(offer, group)));
        expect(problems).toEqual([]);
      },
    );

    test.each(offers.filter(({ maxTools, learns }) => Number.isFinite(maxTools) && learns !== true))(
      "AGT-15 an agent with all of them says which it cannot offer to $vendor, to its model and its log",
      async (offer) => {
        const mock = await startModelMock(() => ({ text: "done" }), { vendor: offer.vendor });
        const agent = await startAgent(mock, offer, servers);
        try {
          expect(await ask(`${agent.url}/mcp`, { message: "hello" })).toMatchObject({ text: "done", isError: false });
          expect(mock.refused).toEqual([]);
          const [request] = mock.requests;
          const offered = request === undefined ? 0 : readShown(request).tools.length;
          const named = agent.lines.filter(({ message }) => message === "a tool is not offered to the model");
          const all = servers.flatMap(({ tools }) => tools).length;
          expect(offered).toBeGreaterThan(offer.maxTools / 2);
          expect(new Set(named.map(({ server, tool }) => JSON.stringify([server, tool]))).size).toBe(all - offered);
          expect(JSON.stringify(request?.body)).toContain("cannot be offered to you now");
        } finally {
          await agent.stop();
          await mock.close();
        }
      },
    );
  });
});
