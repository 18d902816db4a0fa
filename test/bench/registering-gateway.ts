// Our gateway as the benchmark of gateways for tool servers sees it: the built one on a real API server, into which it writes
// what is registered by its REST. No operator runs, since servers that need no secrets are called as they are.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { instanceType } from "../../crds/kinds.ts";
import { apiVersion } from "../../crds/names.ts";
import { objectPath } from "../../lib/kube/resource.ts";
import { askJson } from "./ask-json.ts";
import { startBenchServer } from "./bench-server.ts";
import { createTokens, startGatewayUnderTest, type GatewayUnderTestOptions } from "./gateway-under-test.ts";
import type { ToolGateway } from "./tool-gateway.ts";

const place = { name: "bench", namespace: "tools" };
const instanceManifest = {
  apiVersion,
  kind: instanceType.kind,
  metadata: place,
  spec: { registryNamespace: "com.example", defaultModel: "passthrough" },
};

const registeredSchema = z.object({ id: z.number() });
const serverSchema = z.object({ tools: z.array(z.object({ name: z.string() })) });

export interface RegisteringGateway extends ToolGateway {
  readonly url: string;
  /** By which its admin calls it. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @param more of its configuration. */
export async function startRegisteringGateway(
  more: Pick<GatewayUnderTestOptions, "embeddings"> = {},
): Promise<RegisteringGateway> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startBenchServer());
  await server.createNamespace(place.namespace);
  await server.client.apply(objectPath(instanceType, place), JSON.stringify(instanceManifest));
  const dir = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const tokens = createTokens(1);
  const { access } = server;
  const own = {
    dir,
    instance: place.name,
    namespace: place.namespace,
    tokens,
    role: "admin",
    access,
    ...more,
  } as const;
  const gateway = stack.use(await startGatewayUnderTest(own));
  const headers = { authorization: `Bearer ${tokens.join("")}` };
  const parts = stack.move();
  return {
    url: gateway.url,
    headers,
    async register(name, serverUrl) {
      const servers = `${gateway.url}/api/servers`;
      const { id } = registeredSchema.parse(
        await askJson("POST", servers, { headers, body: { name, url: serverUrl } }),
      );
      const url = `${servers}/${id}`;
      await askJson("POST", `${url}/activate`, { headers });
      return {
        listTools: async () =>
          serverSchema.parse(await askJson("GET", url, { headers })).tools.map((tool) => tool.name),
        target: (tool) => ({ url: `${url}/call`, tool, era: "rest", headers }),
      };
    },
    usage: gateway.usage,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
