// Discovery over real HTTP with a policy and with approvals that somebody can decide, kept in a file as in local mode.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { PallasApproval } from "../../../crds/approval.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { ToolEntry } from "../../../lib/mcp/table.ts";
import { systemClock } from "../../../lib/process/clock.ts";
import { createLogger } from "../../../lib/process/log.ts";
import type { Approvals, Verdict } from "../../approvals/approvals.ts";
import { createApprovals } from "../../approvals/life.ts";
import { openLocalStore } from "../../approvals/local-store.ts";
import { openDiscoveryScene, type DiscoveryScene, type DiscoverySceneOptions } from "../../testing/discovery-scene.ts";
import { testConfig } from "../../testing/resources.ts";
import { echoTool, remoteServer, startMcpServer } from "../../testing/server-scene.ts";

export interface PolicyScene extends DiscoveryScene {
  approvals: Approvals;
  /** Arguments of each call that came to the server `bank`. */
  received: unknown[];
  /** The next approval that waits. */
  pending(): Promise<PallasApproval>;
  /** Decides the next that waits. */
  decide(verdict: Omit<Verdict, "argumentsHash">): Promise<PallasApproval>;
  /** Tools of the server `bank` from now on. */
  setTools(tools: readonly ToolEntry[]): Promise<void>;
}

/** Who decides here. */
export const approver: Identity = { kind: "person", subject: "eve", name: "eve", groups: [], role: "approver" };

export interface PolicySceneOptions extends DiscoverySceneOptions {
  policy: object;
  tools?: readonly ToolEntry[];
  timeoutMs?: number;
}

/** One server, `bank`, which says what it was sent. */
export async function openPolicyScene(options: PolicySceneOptions): Promise<PolicyScene> {
  const { clock = systemClock, timeoutMs = 600_000 } = options;
  const folder = await mkdtemp(join(tmpdir(), "pallas-policy-"));
  const quiet = createLogger({ logger: "test", level: "SILENT" });
  const store = await openLocalStore({ path: join(folder, "approvals.json"), log: quiet });
  let approvals: Approvals | undefined;
  const received: unknown[] = [];
  const recorded = (tools: readonly ToolEntry[]) =>
    tools.map((tool): ToolEntry => {
      const call: ToolEntry["call"] = async (args, context) => {
        received.push(args);
        return await tool.call(args, context);
      };
      return { ...tool, call };
    });
  const server = await startMcpServer(recorded(options.tools ?? [echoTool("pay"), echoTool("read")]));
  const scene = await openDiscoveryScene({
    ...options,
    approvals({ state, log }) {
      const config = { ...testConfig(), approvals: { timeoutMs, keepMs: 60_000 } };
      const metrics = { countApproval: () => undefined };
      const known = { ...state, observeUnready: () => undefined };
      approvals = createApprovals({ config, store, state: known, metrics, log, clock });
      return approvals;
    },
  });
  if (approvals === undefined) throw new Error("expected the scene to have approvals");
  const life = approvals;
  onTestFinished(async () => {
    await life.close();
    await rm(folder, { recursive: true, force: true });
  });
  scene.state.put(remoteServer("bank", server.url, { listed: true }));
  const findPending = () => life.list().find((each) => life.stateOf(each) === "pending");
  const known = () => scene.servers.get("bank")?.tools?.map(({ name }) => name);
  await expect.poll(known, { timeout: 10_000 }).toBeDefined();
  await scene.discovery.settled();
  const pending = async () => {
    await expect.poll(findPending, { timeout: 10_000 }).toBeDefined();
    const found = findPending();
    if (found === undefined) throw new Error("expected an approval that waits");
    return found;
  };
  return {
    ...scene,
    approvals: life,
    received,
    pending,
    async decide(verdict) {
      const { metadata, spec } = await pending();
      return await life.decide(metadata.name, { ...verdict, argumentsHash: spec.argumentsHash }, approver);
    },
    async setTools(tools) {
      const entries = recorded(tools);
      server.table.tools = {
        list: () => entries,
        find: (name) => entries.find((each) => each.name === name),
      };
      await scene.servers.get("bank")?.check();
    },
  };
}
