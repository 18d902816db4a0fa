// How the resources of several servers are named in one place: `mount:{server}/{uri}`, which is the server's own URI again
// without what stands before it. Names of servers hold no slash, so that no two resources are ever named alike. Pure.
import type { Content, ResourceContents } from "../../lib/mcp/table.ts";

const scheme = "mount:";

export const mountUri = (server: string, uri: string): string => `${scheme}${server}/${uri}`;

/** Undefined where it is not one of a mount. */
export function parseMountedUri(text: string): { server: string; uri: string } | undefined {
  const slash = text.indexOf("/");
  if (!text.startsWith(scheme) || slash <= scheme.length) return undefined;
  return { server: text.slice(scheme.length, slash), uri: text.slice(slash + 1) };
}

export const mountContents = (server: string, contents: ResourceContents): ResourceContents => ({
  ...contents,
  uri: mountUri(server, contents.uri),
});

/** A block of a tool's result, whose resources can be read by the names they have here. */
export function mountContent(server: string, content: Content): Content {
  if (content.type === "resource_link") return { ...content, uri: mountUri(server, content.uri) };
  if (content.type === "resource") return { ...content, resource: mountContents(server, content.resource) };
  return content;
}
