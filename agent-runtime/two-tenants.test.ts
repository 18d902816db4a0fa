// AGT-11 two callers of one agent, each with a token: what one of them has, the other can neither read nor use nor clear, in
// both eras, and its owner can. Whoever forgets the caller anywhere on the way breaks one of these.
import { describe, expect, it } from "vitest";
import { callMessage, openSession, post, readMessages } from "../lib/mcp/raw-client.fixture.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { connect2026, sendMessage } from "./testing/client.ts";
import { renderClaims, startIssuer } from "../lib/auth/testing/issuer.ts";
import { startAgent } from "./testing/servers.ts";

const keep = keepUntilEnd();
const historyPrompt = "tech_research_history";
const options = { signal: new AbortController().signal, idleTimeoutMs: 10_000 };
const secret = "the secret of alice";

async function startTwoTenants() {
  const issuer = await keep(startIssuer());
  const resource = "https://agents.example.com/team/a/mcp";
  const agent = await keep(startAgent({ auth: { issuer: issuer.url, audiences: ["pallas"], resource } }));
  const [alice = "", bob = ""] = await Promise.all(
    ["alice", "bob"].map((sub) => issuer.sign(renderClaims(issuer, { sub }))),
  );
  return { url: agent.mcpUrl, alice, bob };
}

const connect = async (url: string, token: string) => {
  const connection = await connect2026(url, token);
  await keep(Promise.resolve({ stop: () => connection.close() }));
  return connection;
};

async function startConversation() {
  const { url, alice, bob } = await startTwoTenants();
  const [ofAlice, ofBob] = [await connect(url, alice), await connect(url, bob)];
  const { sessionId = "" } = await sendMessage(ofAlice, { message: secret });
  expect(sessionId).toMatch(/^[0-9a-f]{64}$/);
  return { ofAlice, ofBob, sessionId };
}

describe("AGT-11 a conversation of the 2026 era", () => {
  it("cannot be gone on with by another caller who knows its session_id, and can by its owner", async () => {
    const { ofAlice, ofBob, sessionId } = await startConversation();
    const refused = await sendMessage(ofBob, { message: "what was said?", session_id: sessionId });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("session_id is not known") });
    expect(await sendMessage(ofAlice, { message: "again", session_id: sessionId })).toMatchObject({ isError: false });
  });

  it("cannot be read by another caller, and can by its owner", async () => {
    const { ofAlice, ofBob, sessionId } = await startConversation();
    const read = (connection: typeof ofAlice) =>
      connection.getPrompt(historyPrompt, { session_id: sessionId }, options);
    expect(JSON.stringify(await read(ofAlice))).toContain(secret);
    await expect(read(ofBob)).rejects.toMatchObject({ said: expect.stringContaining("session_id is not known") });
  });
});

describe("AGT-11 AGT-14 a conversation", () => {
  it("cannot be cleared by another caller, and can by its owner, in both eras", async () => {
    const { url, alice, bob } = await startTwoTenants();
    const [ofAlice, ofBob] = [await connect(url, alice), await connect(url, bob)];
    const { sessionId = "" } = await sendMessage(ofAlice, { message: secret });
    const clear = async (connection: typeof ofAlice) =>
      JSON.stringify(await connection.callTool("clear_history", { session_id: sessionId }, options));
    expect(await clear(ofBob)).toContain("session_id is not known");
    expect(await clear(ofAlice)).toContain("2 messages are deleted");
    await sendMessage(ofAlice, { message: secret, session_id: sessionId });
    const clearNamed = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const session = await openSession(url, headers);
      const message = callMessage("clear_history", { session_id: sessionId });
      return JSON.stringify(await readMessages(await post(url, message, { ...session, ...headers })));
    };
    expect(await clearNamed(bob)).toContain("session_id is not known");
    expect(await clearNamed(alice)).toContain("2 messages are deleted");
  });
});

describe("AGT-11 a conversation of the 2025 era", () => {
  const authorize = (token: string) => ({ Authorization: `Bearer ${token}` });
  const call = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params });
  const say = call("tools/call", { name: "send_message", arguments: { message: secret } });
  const read = call("prompts/get", { name: historyPrompt });

  it("can be gone on with and read by its owner in its session, and there is none for another caller", async () => {
    const { url, alice, bob } = await startTwoTenants();
    const session = await openSession(url, authorize(alice));
    const answers = async (token: string, message: object) => {
      const response = await post(url, message, { ...session, ...authorize(token) });
      return [response.status, response.ok ? JSON.stringify(await readMessages(response)) : await response.text()];
    };
    expect(await answers(alice, say)).toEqual([200, expect.stringContaining(secret)]);
    for (const message of [say, read]) {
      expect(await answers(bob, message)).toEqual([404, expect.not.stringContaining(secret)]);
    }
    expect(await answers(alice, read)).toEqual([200, expect.stringContaining(secret)]);
  });

  it("that another era began is its owner's alone, whose session may name it", async () => {
    const { url, alice, bob } = await startTwoTenants();
    const { sessionId } = await sendMessage(await connect(url, alice), { message: secret });
    const readNamed = async (token: string) => {
      const session = await openSession(url, authorize(token));
      const params = { name: historyPrompt, arguments: { session_id: sessionId } };
      const response = await post(url, call("prompts/get", params), { ...session, ...authorize(token) });
      return JSON.stringify(await readMessages(response));
    };
    expect(await readNamed(alice)).toContain(secret);
    expect(await readNamed(bob)).toContain("session_id is not known");
  });
});
