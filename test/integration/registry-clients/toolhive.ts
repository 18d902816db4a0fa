// A client that reads a registry as ToolHive does (stacklok/toolhive, 2026): one server at setup, then pages of 100, and for a
// server that it runs the latest version. Like Go's decoder it takes no value of another type than its field has.
import * as z from "zod";

const pageSize = 100;
const maxPages = 100;

const official = z.object({
  status: z.enum(["active", "deprecated", "deleted"]),
  publishedAt: z.iso.datetime({ offset: true }),
  updatedAt: z.iso.datetime({ offset: true }),
  isLatest: z.boolean(),
});
const serverResponse = z.object({
  server: z.object({
    $schema: z.string(),
    name: z.string().min(3),
    description: z.string(),
    title: z.string().optional(),
    version: z.string(),
    icons: z
      .array(z.object({ src: z.string(), mimeType: z.string().optional(), sizes: z.array(z.string()).optional() }))
      .optional(),
    remotes: z.array(z.object({ type: z.string(), url: z.string() })).optional(),
    _meta: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  }),
  _meta: z.object({ "io.modelcontextprotocol.registry/official": official }),
});
const serverList = z.object({
  servers: z.array(serverResponse),
  metadata: z.object({ nextCursor: z.string().optional(), count: z.int() }),
});
type ToolHiveServer = z.output<typeof serverResponse>["server"];

async function get<T extends z.ZodType>(url: string, schema: T): Promise<z.output<T>> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
  return schema.parse(await response.json());
}

/** All servers, each as its latest version says. Throws where ToolHive would give up. */
export async function syncAsToolHive(url: string): Promise<ToolHiveServer[]> {
  const setup = await get(`${url}/v0.1/servers?limit=1`, serverList);
  if (setup.metadata.count > 1) throw new Error("the limit is not kept");
  const found: ToolHiveServer[] = [];
  let cursor: string | undefined = "";
  for (let page = 0; page < maxPages && cursor !== undefined; page += 1) {
    const query = new URLSearchParams({ limit: String(pageSize), version: "latest", ...(cursor !== "" && { cursor }) });
    const { servers, metadata }: z.output<typeof serverList> = await get(`${url}/v0.1/servers?${query}`, serverList);
    for (const { server } of servers) {
      const path = `/v0.1/servers/${encodeURIComponent(server.name)}/versions/latest`;
      found.push((await get(`${url}${path}`, serverResponse)).server);
    }
    cursor = metadata.nextCursor;
  }
  return found;
}
