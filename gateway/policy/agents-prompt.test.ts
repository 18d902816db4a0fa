// A message to an agent is judged as the tool send_message of a server of the agent's name (MGM-5), by agents_prompt as by any other way.
import { describe, expect, it, onTestFinished } from "vitest";
import { JsonRpcError } from "../../lib/mcp/json-rpc.ts";
import { createLogger } from "../../lib/process/log.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { startManagement } from "../management/testing/management.ts";
import { echoTool, openServerScene, policyName, startMcpServer } from "../testing/server-scene.ts";
import { createGatewayPolicy } from "./gateway-policy.ts";
import { openPolicyScene } from "./testing/policy-scene.ts";

const match = { servers: ["clerk"], tools: ["send_message"], args: [{ path: "/message", glob: "*pay*" }] };
const rules = { rules: [{ name: "pay", match, action: "denyContinue", reason: "people pay" }], default: "allow" };

async function openAgent(call = echoTool().call) {
  const received: unknown[] = [];
  const tool = { ...echoTool("send_message") };
  const server = await startMcpServer([
    {
      ...tool,
      async call(args, context) {
        received.push(args);
        return await call(args, context);
      },
    },
  ]);
  const { state } = openServerScene();
  state.putPolicy(rules);
  const decisions: string[] = [];
  const never = async () => {
    throw new Error("nobody is asked here");
  };
  const policy = createGatewayPolicy({
    config: { policyRef: policyName },
    state,
    approvals: { ask: never, open: never, wait: never, use: never, decideAsCaller: never },
    metrics: { countPolicyDecision: (decision) => void decisions.push(decision) },
    log: createLogger({ logger: "test", level: "SILENT" }),
    clock: systemClock,
  });
  const management = await startManagement({ agents: [sampleAgent("clerk")], policy });
  onTestFinished(() => management.stop());
  management.state.setEndpoint("clerk", { mcpUrl: server.url, adminUrl: server.url });
  return { caller: await management.connect("caller"), received, decisions };
}

describe("MGM-5 agents_prompt", () => {
  it("sends what is allowed, and nothing that is denied", async () => {
    const { caller, received, decisions } = await openAgent();
    await caller.call("agents_prompt", { agent_id: "clerk", message: "hello" });
    expect(received).toMatchObject([{ message: "hello" }]);
    await expect(caller.call("agents_prompt", { agent_id: "clerk", message: "please pay" })).rejects.toMatchObject({
      code: -32_951,
      data: { type: "policy_denied_continue", reason: "people pay" },
    });
    expect(received).toHaveLength(1);
    expect(decisions).toEqual(["allow", "deny_continue"]);
  });

  it("tells misuse of the codes of policies", async () => {
    const { caller } = await openAgent(async () => {
      throw new JsonRpcError(-32_950, "approved");
    });
    await expect(caller.call("agents_prompt", { agent_id: "clerk", message: "hello" })).rejects.toMatchObject({
      code: -32_952,
    });
  });
});

describe("MGM-5 an agent as a tool", () => {
  it("is not there for whom every message to it is denied", async () => {
    const always = { rules: [{ name: "no", match: { servers: ["clerk"] }, action: "denyAbort" }], default: "allow" };
    const scene = await openPolicyScene({ policy: always });
    scene.state.putAgent(sampleAgent("clerk", { description: "Keeps the books." }));
    await scene.discovery.settled();
    const client = await scene.connect("2026", "caller");
    await expect(client.call("clerk__send_message", { message: "hello" })).rejects.toMatchObject({ code: -32_602 });
    scene.state.putPolicy({ rules: [], default: "allow" });
    await client.call("clerk__send_message", { message: "hello" });
    expect(scene.prompted).toMatchObject([{ agent_id: "clerk", message: "hello" }]);
  });
});
