// The server of a host of MCP Apps: an MCP client of the gateway, which finds the app by its tool and calls tools for it, and the host's pages.
// By 127.0.0.1 it is the host, by localhost the sandbox: two origins.
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  getToolUiResourceUri,
  isToolVisibilityModelOnly,
  RESOURCE_MIME_TYPE,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiResourceCsp,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { build } from "esbuild";
import * as z from "zod";
import { withoutEval } from "../../../build-plugins.ts";
import type { AppHostSetup } from "./setup.ts";

export interface AppHostOptions {
  /** Of the gateway. */
  origin: string;
  token: string;
  capabilities: McpUiHostCapabilities;
  context: McpUiHostContext;
}

export interface AppHost extends AsyncDisposable {
  /** Of the page. */
  readonly url: string;
  /** Of the app's tools that were called for it, in order. */
  readonly called: string[];
  /** Paths that nobody but an app that breaks out asks for. */
  readonly reached: string[];
}

const tool = "approvals_list";

const origins = z.array(z.string()).exactOptional();
const metaSchema = z.strictObject({
  csp: z
    .strictObject({
      connectDomains: origins,
      resourceDomains: origins,
      frameDomains: origins,
      baseUriDomains: origins,
    })
    .exactOptional(),
  permissions: z.strictObject({}).exactOptional(),
  prefersBorder: z.boolean().exactOptional(),
});

/** What a host lets an app load, by what its server says that it needs. An empty list is none. */
function renderPolicy({ connectDomains, resourceDomains, frameDomains, baseUriDomains }: McpUiResourceCsp = {}) {
  const from = (domains: string[] = [], none: string) => (domains.length === 0 ? none : domains.join(" "));
  const more = from(resourceDomains, "");
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${more}`,
    `style-src 'self' 'unsafe-inline' ${more}`,
    `img-src 'self' data: ${more}`,
    `media-src 'self' data: ${more}`,
    `font-src 'self' ${more}`,
    `connect-src ${from(connectDomains, "'none'")}`,
    `frame-src ${from(frameDomains, "'none'")}`,
    `base-uri ${from(baseUriDomains, "'self'")}`,
    "object-src 'none'",
  ].join("; ");
}

async function bundlePage(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    ...{ bundle: true, write: false, format: "esm", platform: "browser", target: "es2024", plugins: [withoutEval] },
  });
  return outputFiles[0]?.text ?? "";
}

async function connect({ origin, token }: AppHostOptions): Promise<Client> {
  // By the handshake that hosts of MCP Apps have, with what they say of themselves in it.
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } };
  const client = new Client({ name: "test-host", version: "1" }, { capabilities });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }));
  return client;
}

/** The app of the tool, with what the tool gives. */
async function findApp(client: Client) {
  const { tools } = await client.listTools();
  const uri = getToolUiResourceUri(tools.find(({ name }) => name === tool) ?? {});
  if (uri === undefined) throw new Error(`expected a tool ${tool} with an app, found none`);
  const [found] = (await client.readResource({ uri })).contents;
  if (found?.mimeType !== RESOURCE_MIME_TYPE || !("text" in found)) throw new Error(`expected an app at ${uri}`);
  const meta = metaSchema.parse(found._meta?.["ui"]);
  const refused = tools.filter(isToolVisibilityModelOnly).map(({ name }) => name);
  return { html: found.text, meta, refused, result: await client.callTool({ name: tool, arguments: {} }) };
}

const callSchema = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() });

const page = (script: string) =>
  `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><style>body { margin: 0 }</style><body><script type="module" src="${script}"></script></body></html>`;

export async function serveAppHost(options: AppHostOptions): Promise<AppHost> {
  const client = await connect(options);
  const [{ refused, ...app }, hostScript, sandboxScript] = await Promise.all([
    findApp(client),
    bundlePage("host-page"),
    bundlePage("sandbox-page"),
  ]);
  const called: string[] = [];
  const reached: string[] = [];
  const policy = renderPolicy(app.meta.csp);
  const { capabilities, context } = options;
  const call = async (request: IncomingMessage) => {
    const { name, ...rest } = callSchema.parse(JSON.parse(await text(request)));
    if (refused.includes(name)) throw new Error(`${name} is not for apps`);
    called.push(name);
    return await client.callTool({ name, arguments: rest.arguments ?? {} });
  };
  const answer = async (request: IncomingMessage): Promise<[string, string]> => {
    const html = "text/html; charset=utf-8";
    const script = "text/javascript; charset=utf-8";
    const json = "application/json";
    const { url = "" } = request;
    if (url === "/") return [html, page("/host.js")];
    if (url === "/host.js") return [script, hostScript];
    if (url === "/sandbox") return [html, page("/sandbox.js")];
    if (url === "/sandbox.js") return [script, sandboxScript];
    if (url === "/call") return [json, JSON.stringify(await call(request))];
    if (url !== "/setup") {
      reached.push(url);
      throw new Error("there is nothing here");
    }
    const setup: AppHostSetup = { ...app, capabilities, context, sandboxUrl: `http://localhost:${port}/sandbox` };
    return [json, JSON.stringify(setup)];
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ([type, body]) => {
        const isSandbox = request.url === "/sandbox";
        response.setHeader("content-type", type);
        if (isSandbox) response.setHeader("content-security-policy", policy);
        response.end(body);
      },
      (error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  });
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    ...{ called, reached, url: `http://127.0.0.1:${port}/` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await client.close();
    },
  };
}
