// The peer among gateways: ContextForge from PyPI, pinned in test/python/requirements-contextforge.txt, as one process with
// the database that it has by default. What differs from its defaults either lets it reach loopback or makes it faster.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { askJson } from "./ask-json.ts";
import { reportProgress } from "./report.ts";
import { startServer } from "./server-under-test.ts";
import type { ToolGateway } from "./tool-gateway.ts";

const run = promisify(execFile);
const admin = "admin@example.com";
const tokenTimeoutMs = 120_000;
const requirements = join(import.meta.dirname, "../python/requirements-contextforge.txt");

export const contextForgeVersion =
  /^mcp-contextforge-gateway==(\S+)/m.exec(readFileSync(requirements, "utf8"))?.[1] ?? "of unknown version";

const randomSecret = (): string => randomBytes(48).toString("base64url");

function renderEnv(dir: string, jwtSecret: string): Record<string, string> {
  return {
    HOME: dir,
    DATABASE_URL: `sqlite:///${join(dir, "mcp.db")}`,
    JWT_SECRET_KEY: jwtSecret,
    AUTH_ENCRYPTION_SECRET: randomSecret(),
    PLATFORM_ADMIN_EMAIL: admin,
    PLATFORM_ADMIN_PASSWORD: `${randomSecret()}.1A`,
    BASIC_AUTH_PASSWORD: `${randomSecret()}.1A`,
    PASSWORD_CHANGE_ENFORCEMENT_ENABLED: "false",
    // The servers are on loopback, and nothing may be refused for being asked often.
    SSRF_ALLOW_LOCALHOST: "true",
    SSRF_ALLOW_PRIVATE_NETWORKS: "true",
    RATE_LIMITING_ENABLED: "false",
    // Without it, each call initializes the server anew and takes nearly twice as long.
    USE_STATEFUL_SESSIONS: "true",
    CACHE_TYPE: "memory",
    LOG_LEVEL: "ERROR",
  };
}

/** Its own command line signs it; it holds for a day. */
async function createToken(python: string, env: Record<string, string>): Promise<string> {
  const args = ["-m", "mcpgateway.utils.create_jwt_token", "--username", admin, "--admin", "--exp", "1440"];
  const options = { env: { ...process.env, ...env }, cwd: env["HOME"], timeout: tokenTimeoutMs };
  const { stdout } = await run(python, args, options);
  return z.jwt().parse(stdout.trim().split("\n").at(-1));
}

const gatewaySchema = z.object({ id: z.string(), slug: z.string() });
const toolsSchema = z.array(z.object({ name: z.string() }));

/** Installs it when it is not there yet. Throws when it cannot be had. */
export async function startContextForge(): Promise<ToolGateway> {
  const python = await findPython();
  if (python === undefined) throw new Error("expected a Python to run ContextForge with, found none; install Python");
  const executable = await openEnvironment(python, "contextforge", { report: reportProgress });
  const port = await findFreePorts();
  const url = `http://127.0.0.1:${port}`;
  const jwtSecret = randomSecret();
  let token = "";
  const server = await startServer(async (dir) => {
    const env = renderEnv(dir, jwtSecret);
    token = await createToken(executable, env);
    return {
      name: "contextforge",
      file: executable,
      // The script's first line names the folder in which it was installed first.
      args: [
        join(dirname(executable), "mcpgateway"),
        "mcpgateway.main:app",
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
      ],
      env,
      url,
      readyUrl: `${url}/health`,
    };
  });
  const headers = { authorization: `Bearer ${token}` };
  return {
    async register(name, serverUrl) {
      const body = { name, url: serverUrl, transport: "STREAMABLEHTTP" };
      const { id, slug } = gatewaySchema.parse(await askJson("POST", `${url}/gateways`, { headers, body }));
      return {
        async listTools() {
          const tools = await askJson("GET", `${url}/tools?limit=0&gateway_id=${id}`, { headers });
          return toolsSchema.parse(tools).map((tool) => tool.name);
        },
        // It writes a tool's name behind the server's.
        target: (tool) => ({ url: `${url}/mcp/`, tool: `${slug}-${tool}`, era: "2025", headers }),
      };
    },
    usage: server.usage,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
