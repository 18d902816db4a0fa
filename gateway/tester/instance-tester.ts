// The tester of a gateway's own instance: which servers it has and where, what becomes of what is asked and said, and whether packages
// can be run here.
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Mode } from "../../plan/rules.ts";
import type { CallLog } from "../servers/call-log.ts";
import type { GatewayPolicy, Hides } from "../policy/gateway-policy.ts";
import { visibleTools } from "../policy/visible-tools.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import type { GatewayState, WritesFor } from "../state/state.ts";
import { createCommandServers, noCommands, type CommandServers } from "./command-servers.ts";
import type { HeardEntry } from "./sessions.ts";
import { createTester, type TestedServer, type Tester } from "./tester.ts";

export interface InstanceTesterParts {
  policy: Pick<GatewayPolicy, "judge" | "hides">;
  servers: Pick<ToolServers, "find">;
  calls: Pick<CallLog, "add" | "pass">;
  state: Pick<GatewayState, "namespace" | "instance" | "listServers" | "getServerAddress" | "onChange">;
  writesFor: WritesFor;
  management: GatewayConfig["management"];
  mode: Mode;
  version: string;
  log: Logger;
  clock: Clock;
}

export function createInstanceTester(parts: InstanceTesterParts): Tester {
  const { policy, servers, state, calls, version, log, clock } = parts;
  return createTester({
    policy,
    findServer(idOrName, caller) {
      const server = servers.find(idOrName, caller);
      return server && toTested(server, state, policy.hides(caller));
    },
    commands: openCommands(parts),
    onEntry(heard) {
      note(heard, calls);
      const { subject, entry } = heard;
      if (entry.kind === "notification" || entry.kind === "progress") return;
      const { kind, server, success, latency_ms: durationMs } = entry;
      log.info({ server, kind, subject, success, durationMs }, "server tried");
    },
    version,
    clock,
  });
}

function openCommands({ mode, management, state, writesFor, log, clock }: InstanceTesterParts): CommandServers {
  if (mode === "local") {
    return noCommands(422, "command: under pallas up a program runs from a manifest: write a PallasServer with local");
  }
  if (management !== "readWrite") {
    return noCommands(
      403,
      `a package runs as a PallasServer, and this gateway may create none: spec.gateway.management of instance "${state.instance}" is ${management}; set it to readWrite`,
    );
  }
  return createCommandServers({ state, writesFor, log, clock });
}

function toTested(server: ServerEntry, state: Pick<GatewayState, "getServerAddress">, hides: Hides): TestedServer {
  const { name, tools, isActive } = server;
  const offered = tools && new Set(visibleTools(server, hides).map((tool) => tool.name));
  const problem = server.problem ?? "the server has no address yet";
  return {
    name,
    address: state.getServerAddress(name) ?? { problem, status: isActive ? 503 : 409 },
    // Before the first list nobody knows better than the server.
    offers: (tool) => offered?.has(tool) ?? !hides(name, tool, () => undefined),
  };
}

/** What a server says goes to whoever follows live; what was asked of one caller's own server is in no log but the program's. */
function note({ subject: caller, isTransient, entry }: HeardEntry, calls: Pick<CallLog, "add" | "pass">): void {
  const { id: _, ...facts } = entry;
  const logged = { ...facts, caller };
  if (entry.kind === "notification") {
    calls.pass(logged, { method: entry.tool, params: entry.args });
  } else if (entry.kind === "progress") {
    const { token, progress, total, message } = entry.args;
    calls.pass(logged, {
      token: typeof token === "number" ? token : String(token),
      progress: {
        progress: Number(progress),
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message }),
      },
    });
  } else if (!isTransient) {
    calls.add(logged);
  }
}
