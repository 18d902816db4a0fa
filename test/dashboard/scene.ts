// What the dashboard's tests look at: `pallas up` on the manifests of scene/, as users run it, with its gateway, a token for each role,
// agents on built-in models, and tool servers on standard streams. Nothing of it is faked but the models.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";

const root = join(import.meta.dirname, "../..");
const startMs = 60_000;
/** From the registry's port: behind those of the agents. */
const gatewayDistance = 10;

export const sceneRoles = ["viewer", "caller", "approver", "operator", "admin"] as const;
export type SceneRole = (typeof sceneRoles)[number];

export interface Scene extends AsyncDisposable {
  /** Of the gateway. */
  readonly origin: string;
  /** The admin's is that of the run. */
  readonly tokens: Readonly<Record<SceneRole, string>>;
  /** Both outputs so far. */
  shown(): string;
  /** Edits a manifest, which the run takes up. */
  write(name: string, text: string): Promise<void>;
  /** Ends the gateway as a fault does; the run starts it again. */
  killGateway(): Promise<void>;
}

const tokenOf = (role: string): string => `scene-${role}-0123456789abcdef`;

/** Roles other than admin, whose token each run makes. */
export function renderSecret(without?: SceneRole): string {
  const lines = sceneRoles
    .filter((role) => role !== "admin" && role !== without)
    .map((role) => `  ${role}: "sha256:${createHash("sha256").update(tokenOf(role)).digest("hex")}"`);
  return `apiVersion: v1\nkind: Secret\nmetadata: { name: tokens, namespace: default }\nstringData:\n${lines.join("\n")}\n`;
}

/** Among the processes that a run has started. */
async function findGateway(run: number | undefined): Promise<number> {
  const children = await readFile(`/proc/${run}/task/${run}/children`, "utf8");
  for (const child of children.trim().split(" ")) {
    const command = await readFile(`/proc/${child}/cmdline`, "utf8");
    if (command.includes("gateway.js")) return Number(child);
  }
  throw new Error(`expected a gateway among the processes of ${run}, found ${children}`);
}

export interface SceneOptions {
  /** Further files beside the manifests, or in their place. */
  more?: Readonly<Record<string, string>>;
  /** Manifests of scene/ that are left out. */
  without?: readonly string[];
}

/** Resolves when everything runs, or cannot. */
export async function startScene({ more = {}, without = [] }: SceneOptions = {}): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-scene-"));
  const manifests = join(folder, "manifests");
  await cp(join(import.meta.dirname, "scene"), manifests, { recursive: true });
  // Its servers are programs with packages of this project.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(more)) await writeFile(join(manifests, name), text);
  const port = await findFreePorts(gatewayDistance + 1);
  const gatewayPort = port + gatewayDistance;
  for (const [name, text] of Object.entries(more)) await writeFile(join(manifests, name), text);
  const instance = await readFile(join(manifests, "instance.yaml"), "utf8");
  // The registry of the run is the one source that is browsed: nobody outside is asked.
  const placed = instance.replace("24300", String(gatewayPort)).replace("24290", String(port));
  await writeFile(join(manifests, "instance.yaml"), placed);
  await writeFile(join(manifests, "tokens.yaml"), renderSecret());
  for (const name of without) await rm(join(manifests, name));
  const env = { PATH: process.env["PATH"], HOME: folder, PALLAS_STATE_DIR: join(folder, "state") };
  const pallas = (...args: string[]) =>
    spawn(process.execPath, [join(root, "dist/pallas.js"), ...args], { cwd: folder, env });
  const up = pallas("up", "-f", "manifests", "--port", String(port), "--trust");
  const exited = once(up, "exit");
  let shown = "";
  for (const stream of [up.stdout, up.stderr]) stream.on("data", (chunk: Buffer) => (shown += String(chunk)));
  const stop = async () => {
    // A call that waits for a person would hold it up; what it started notices a moment later.
    up.kill("SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const isUp = () => /^dashboard: /m.test(shown) || up.exitCode !== null;
    await vi.waitUntil(isUp, { timeout: startMs }).catch(() => undefined);
    const asked = pallas("token", "-f", "manifests");
    let token = "";
    asked.stdout.on("data", (chunk: Buffer) => (token += String(chunk)));
    await once(asked, "close");
    if (token === "") throw new Error(`expected a dashboard, found:\n${shown}`);
    const tokens: Record<SceneRole, string> = {
      viewer: tokenOf("viewer"),
      caller: tokenOf("caller"),
      approver: tokenOf("approver"),
      operator: tokenOf("operator"),
      admin: token.trim(),
    };
    return {
      origin: `http://localhost:${gatewayPort}`,
      tokens,
      shown: () => shown,
      write: (name, text) => writeFile(join(manifests, name), text),
      killGateway: async () => void process.kill(await findGateway(up.pid), "SIGKILL"),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
