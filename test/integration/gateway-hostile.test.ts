// Hostile requests with good tokens at each endpoint of the built gateway: bodies of every kind, more subscriptions than there may
// be, or to what is others', a stream that nobody reads. Somebody beside them is answered all the time.
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Pool } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createTestGateway } from "../../agent-runtime/testing/gateway.ts";
import { startAgent, type TestAgent } from "../../agent-runtime/testing/servers.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { maxSubscriptions } from "../../lib/mcp/subscription-hub.ts";
import { renderHostile } from "./hostile/requests.ts";
import { createRandom } from "./seeded-random.ts";
import { personAs, startStateFileGateway, type KnownAgent, type StateFileGateway } from "./state-file-gateway.ts";
import { initialize } from "./tokens/asking.ts";

const name = "tech-research";
const bodyLimitBytes = 100_000;
const requests = 3_000;
const connections = 8;
const aspects = ["info", "state", "session/state", "mcp/state", "ui/state", "snapshot"];
const idle = Array.from({ length: Math.ceil((maxSubscriptions + 1) / aspects.length) }, (_, at) => `idle-${at}`);
const uris = idle.flatMap((each) => aspects.map((aspect) => `resource://agents/${each}/${aspect}`));
const patience = { timeout: 30_000, interval: 50 };

const endpoints = [
  { what: "the management server", path: "/mcp", token: "a-caller" },
  { what: "the way to an agent", path: `/proxy/${name}/mcp`, token: "a-caller" },
  { what: "an agent's compositor", path: "/mcp", token: "the-agent" },
];

const rpcHeaders = (token: string) => ({
  authorization: `Bearer ${token}`,
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
});

describe("SEC-6 MGM-1 hostile requests at the built gateway", () => {
  let agent: TestAgent;
  let gateway: StateFileGateway;
  let known: KnownAgent[];
  let beside: Client;
  /** Ends what is asked beside a test, and says how often it was answered. */
  let endBeside: () => Promise<number>;

  beforeAll(async () => {
    const { readLive, sign } = await createTestGateway();
    agent = await startAgent({ gateway: true }, { readLive });
    const endpoint = { mcpUrl: agent.mcpUrl, adminUrl: agent.adminUrl };
    known = [{ name, endpoint }, ...idle.map((each) => ({ name: each }))];
    gateway = await startStateFileGateway({
      agents: known,
      tokens: {
        "a-caller": personAs("caller"),
        "a-neighbour": personAs("viewer"),
        "a-narrow-one": personAs("viewer", { agents: ["tech-*"] }),
        "the-agent": { agent: name },
      },
      agentsToken: await sign(),
      bodyLimitBytes,
    });
    beside = new Client({ name: "beside", version: "1" });
    const requestInit = { headers: { authorization: "Bearer a-neighbour" } };
    await beside.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
  });
  afterAll(async () => {
    await beside?.close();
    await gateway?.[Symbol.asyncDispose]();
    await agent?.stop();
  });

  beforeEach(() => {
    const over = new AbortController();
    const askOn = async () => {
      for (let answered = 0; ; answered += 1) {
        if (over.signal.aborted && answered > 0) return answered;
        await beside.readResource({ uri: "resource://container.info" }, { cacheMode: "bypass", timeout: 30_000 });
        await sleep(20);
      }
    };
    const asking = askOn();
    asking.catch(() => undefined); // It is looked at when the test is over.
    endBeside = async () => {
      over.abort();
      return await asking;
    };
  });
  afterEach(async () => {
    await endBeside();
    const errors = gateway.lines.filter(({ level }) => level === "ERROR");
    if (errors.length > 0) throw new Error(`expected no errors in the log, found ${JSON.stringify(errors)}`);
  });

  it.each(endpoints)(
    "bodies and headers of every kind at $what: no 5xx",
    { timeout: 600_000 },
    async ({ path, token }) => {
      const pool = new Pool(gateway.url, { connections });
      onTestFinished(() => pool.destroy());
      const random = createRandom(23);
      const statuses = new Map<number, number>();
      const failures: string[] = [];
      let sent = 0;
      const work = async () => {
        while (sent < requests) {
          sent += 1;
          const { kind, method, headers, body } = renderHostile(random);
          const all = { authorization: `Bearer ${token}`, ...headers };
          const answer = await pool.request({ path, method, headers: all, body: body ?? null, headersTimeout: 60_000 });
          // Some ask for a stream that stays open.
          await answer.body.dump({ limit: 10_000_000, signal: AbortSignal.timeout(500) }).catch(() => undefined);
          statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
          const { statusCode } = answer;
          if (statusCode >= 500) failures.push(`${statusCode} for ${kind}: ${body?.toString().slice(0, 200)}`);
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
      expect(failures).toEqual([]);
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 405]));
    },
  );

  it.each(endpoints)("a body at the limit is read at $what, and one byte more gets 413", async ({ path, token }) => {
    const text = JSON.stringify({ ...initialize, padding: "" });
    const send = async (bytes: number, isChunked: boolean) => {
      const body = text.replace('"padding":""', `"padding":"${"x".repeat(bytes - text.length)}"`);
      const stream = isChunked ? { body: new Blob([body]).stream(), duplex: "half" as const } : { body };
      const response = await fetch(`${gateway.url}${path}`, { method: "POST", headers: rpcHeaders(token), ...stream });
      await response.body?.cancel();
      return response.status;
    };
    for (const isChunked of [false, true]) {
      expect(await send(bodyLimitBytes, isChunked)).toBeLessThan(413);
      expect(await send(bodyLimitBytes + 1, isChunked)).toBe(413);
    }
  });

  describe.each(resourceClients)("$name", ({ connect }) => {
    it("may subscribe to so many resources, not to one more, and others still may", { timeout: 120_000 }, async () => {
      const open = async (token: string) => {
        const client = await connect(`${gateway.url}/mcp`, "", token);
        onTestFinished(() => client.close());
        return client;
      };
      const greedy = await open("a-caller");
      await expect(greedy.subscribe(uris.slice(0, maxSubscriptions + 1))).rejects.toThrow(/at most 1024 resources/);
      const content = await open("a-caller");
      await content.subscribe(uris.slice(0, maxSubscriptions));
      const neighbour = await open("a-neighbour");
      const uri = `resource://agents/${name}/info`;
      await neighbour.subscribe([uri]);
      const before = neighbour.heard.filter((each) => each === uri).length;
      const spec = { title: `At ${Date.now()}` };
      await gateway.tell(known.map((each) => (each.name === name ? { ...each, spec } : each)));
      await vi.waitFor(
        () => expect(neighbour.heard.filter((each) => each === uri).length).toBeGreaterThan(before),
        patience,
      );
    });

    it("learns nothing by subscribing to what is others': it is as if it were not there", async () => {
      const client = await connect(`${gateway.url}/mcp`, "", "a-narrow-one");
      onTestFinished(() => client.close());
      const refusalOf = async (agentName: string) => {
        const uri = `resource://agents/${agentName}/state`;
        const found = await client.subscribe([uri]).then(() => "subscribed", String);
        return found.replaceAll(agentName, "NAME");
      };
      const [others, none] = [await refusalOf("idle-1"), await refusalOf("nowhere")];
      expect(others).toMatch(/not found|not acknowledged/i);
      expect(others).toBe(none);
    });
  });

  it("a stream that nobody reads costs nobody else a notification", { timeout: 240_000 }, async () => {
    const post = async (message: object, session: Record<string, string> = {}) => {
      const headers = { ...rpcHeaders("a-caller"), ...session };
      const response = await fetch(`${gateway.url}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
      await response.text();
      expect(response.status).toBeLessThan(300);
      return response.headers.get("mcp-session-id") ?? "";
    };
    const session = { "mcp-session-id": await post(initialize), "mcp-protocol-version": "2025-11-25" };
    await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
    for (const [id, uri] of uris.slice(0, maxSubscriptions).entries()) {
      await post({ jsonrpc: "2.0", id: id + 2, method: "resources/subscribe", params: { uri } }, session);
    }
    const stuck = request(`${gateway.url}/mcp`, {
      headers: { ...rpcHeaders("a-caller"), accept: "text/event-stream", ...session },
    });
    onTestFinished(() => void stuck.destroy());
    stuck.on("error", () => undefined);
    await new Promise<void>((resolve) => stuck.end().once("response", (response) => resolve(void response.pause())));

    const [kind] = resourceClients;
    const reader = await kind.connect(`${gateway.url}/mcp`, "", "a-neighbour");
    onTestFinished(() => reader.close());
    const followed = "resource://agents/idle-0/info";
    await reader.subscribe([followed]);
    for (let round = 1; round <= 40; round += 1) {
      const before = reader.heard.filter((each) => each === followed).length;
      await gateway.tell(known.map((each) => ({ ...each, spec: { title: `Round ${round}` } })));
      await vi.waitFor(
        () => expect(reader.heard.filter((each) => each === followed).length).toBeGreaterThan(before),
        patience,
      );
    }
    expect(await reader.read(followed)).toContain("Round 40");
  });
});
