// How the bridge before a tool server is started here: its configuration, the folder its server works in, and what of this user's
// environment the server's process may have. Nothing else of the run's reaches that process.
import { mkdir } from "node:fs/promises";
import { observeBridge } from "./admin-client.ts";
import { findFreePort, startChild, type RunningChild } from "./child-process.ts";
import { bridgeHost, type RunnableServer } from "./desired-servers.ts";
import { adminHost, closeMs, programPath, requirePort, type ProgramContext } from "./programs.ts";
import type { ProcessPlan } from "./runner.ts";

export const planServer = (server: RunnableServer, context: ProgramContext): ProcessPlan => ({
  key: server.key,
  dependencies: () => [],
  stopGraceMs: server.config.drainTimeoutMs + closeMs,
  // It is ready for others with its server, which may be fetched first, or never be there; that its health says.
  observeReadiness: async (adminUrl, signal) =>
    (await observeBridge(adminUrl, signal)) === "unreachable" ? "its bridge does not answer" : undefined,
  launch: () => launchBridge(server, context),
});

async function launchBridge(
  { key, server, port, config }: RunnableServer,
  context: ProgramContext,
): Promise<RunningChild> {
  const { folder } = context;
  await requirePort(port, bridgeHost, "stop pallas up and start it again, which chooses another");
  const adminPort = await findFreePort(adminHost, context.takenPorts());
  const work = folder.work(key);
  await mkdir(work, { recursive: true, mode: 0o700 });
  await folder.replace(folder.runConfig(key), JSON.stringify({ ...config, ports: { http: port, admin: adminPort } }));
  return startChild({
    program: programPath("bridge"),
    adminUrl: `http://${adminHost}:${adminPort}`,
    env: {
      ...context.environment().forProcesses,
      PALLAS_BRIDGE_CONFIG: folder.runConfig(key),
      PALLAS_SECRETS_DIR: folder.secrets(server.metadata.namespace),
      PALLAS_BRIDGE_WORK: work,
      // A package is fetched as its user fetches packages, and a program here is one of theirs.
      PALLAS_BRIDGE_INHERIT: "user",
      PALLAS_ADMIN_HOST: adminHost,
      PALLAS_HOST: bridgeHost,
      PALLAS_DRAIN_DELAY_MS: "0",
    },
    ...context.output(key),
  });
}
