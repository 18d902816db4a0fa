// A client that reads a registry as VS Code's gallery does (microsoft/vscode, mcpGalleryManifestService.ts and
// mcpGalleryService.ts, 2026): it asks which version of the API there is, pages by 50 with `version=latest`, puts cursors into URLs
// as they are, does not repeat the search with them, and takes metadata and _meta apart without looking whether they are there.

const pageSize = 50;
const maxPages = 100;

interface GalleryEntry {
  name: string;
  version: string;
  status: string;
  url: string;
}

/** The base of the API that answers the probe; undefined when none does. */
async function probe(url: string): Promise<string | undefined> {
  for (const version of ["v0.1", "v0"]) {
    const response = await fetch(`${url}/${version}/servers?limit=1`);
    if (response.ok) return `${url}/${version}`;
  }
  return undefined;
}

/** All servers that the gallery would show for `search`; throws where the gallery would show nothing. */
export async function browseAsVsCode(url: string, search = ""): Promise<GalleryEntry[]> {
  const base = await probe(url);
  if (base === undefined) throw new Error(`${url} is no registry`);
  const found: GalleryEntry[] = [];
  let query = `limit=${pageSize}&version=latest${search === "" ? "" : `&search=${encodeURIComponent(search)}`}`;
  for (let page = 0; page < maxPages; page += 1) {
    const body = await (await fetch(`${base}/servers?${query}`)).json();
    const {
      servers,
      metadata: { nextCursor },
    } = body;
    // The first entry tells whether this is the format; if not, the whole page is worth nothing.
    const [first] = servers;
    if (first !== undefined && !isServer(first.server)) throw new Error(`${base} answers in another format`);
    for (const { server, _meta } of servers) {
      const { "io.modelcontextprotocol.registry/official": official } = _meta;
      found.push({ name: server.name, version: server.version, status: official.status, url: server.remotes[0].url });
    }
    if (nextCursor === undefined || nextCursor === "") return found;
    query = `limit=${pageSize}&version=latest&cursor=${nextCursor}`;
  }
  throw new Error(`${base} has no last page`);
}

const isServer = (server: Record<string, unknown> | undefined): boolean =>
  ["name", "description", "version"].every((key) => typeof server?.[key] === "string" && server[key] !== "");
