// The SDKs' clients under one interface, for tests of tables that change.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

export interface ResourceClient {
  /** URIs that were updated, and names of lists that changed, as they came. */
  heard: string[];
  capabilities: unknown;
  listTools(cursor?: string): Promise<{ tools: { name: string }[]; nextCursor?: string | undefined }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listTemplates(): Promise<unknown>;
  read(uri: string): Promise<string>;
  /** Rejects, or resolves to what is subscribed to, as its era has it. */
  subscribe(uris: string[]): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  close(): Promise<void>;
}

const info = { name: "test-client", version: "1.0.0" };
/** Who asks, for servers that take a name, and for those that want a token. */
const headersOf = (caller: string, token?: string) => ({
  requestInit: { headers: { "x-caller": caller, ...(token !== undefined && { authorization: `Bearer ${token}` }) } },
});
const textOf = ({ contents: [first] }: { contents: object[] }): string => String(first && Reflect.get(first, "text"));

async function connect1(url: string, caller: string, token?: string): Promise<ResourceClient> {
  const client = new Client1(info);
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push("resources"));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
  await client.connect(new Transport1(new URL(url), headersOf(caller, token)));
  return {
    heard,
    capabilities: client.getServerCapabilities(),
    listTools: (cursor) => client.listTools({ cursor }),
    listResources: () => client.listResources(),
    listTemplates: () => client.listResourceTemplates(),
    read: async (uri) => textOf(await client.readResource({ uri })),
    async subscribe(uris) {
      for (const uri of uris) await client.subscribeResource({ uri });
    },
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
    close: () => client.close(),
  };
}

const connect2 =
  (mode: "legacy" | { pin: string }) =>
  async (url: string, caller: string, token?: string): Promise<ResourceClient> => {
    const client = new Client(info, { versionNegotiation: { mode } });
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("resources"));
    client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
    await client.connect(new StreamableHTTPClientTransport(new URL(url), headersOf(caller, token)));
    const common = {
      heard,
      capabilities: client.getServerCapabilities(),
      listTools: (cursor?: string) =>
        client.listTools(cursor === undefined ? undefined : { cursor }, { cacheMode: "bypass" }),
      listResources: () => client.listResources(undefined, { cacheMode: "bypass" }),
      listTemplates: () => client.listResourceTemplates(undefined, { cacheMode: "bypass" }),
      read: async (uri: string) => textOf(await client.readResource({ uri }, { cacheMode: "bypass" })),
      close: () => client.close(),
    };
    if (mode === "legacy") {
      return {
        ...common,
        async subscribe(uris) {
          for (const uri of uris) await client.subscribeResource({ uri });
        },
        unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
      };
    }
    const streams = new Map<string, Awaited<ReturnType<typeof client.listen>>>();
    return {
      ...common,
      async subscribe(uris) {
        const filter = { resourceSubscriptions: uris, resourcesListChanged: true, toolsListChanged: true };
        const stream = await client.listen(filter);
        for (const uri of uris) streams.set(uri, stream);
        const missing = uris.find((uri) => stream.honoredFilter.resourceSubscriptions?.includes(uri) !== true);
        if (missing !== undefined) throw new Error(`${missing} is not acknowledged`);
      },
      async unsubscribe(uri) {
        await streams.get(uri)?.close();
      },
    };
  };

export const resourceClients = [
  { name: "the first SDK's client", notFoundCode: -32002, connect: connect1 },
  // It knows the older code, and makes the newer of it.
  { name: "the second SDK's client in the 2025 era", notFoundCode: -32602, connect: connect2("legacy") },
  {
    name: "the second SDK's client in the 2026 era",
    notFoundCode: -32602,
    connect: connect2({ pin: "2026-07-28" }),
  },
] as const;
