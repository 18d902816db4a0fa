// The resources of all mounts in one place, each under a name that says whose it is, and what the compositor says of the mounts
// themselves: `resource://compositor_meta/state/{server}`. Changes are asked of a server only while somebody follows them.
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import { denialError, findReservedMisuse } from "../../lib/mcp/policy-error.ts";
import type {
  CallContext,
  Requester,
  ResourceChange,
  ResourceContents,
  ResourceEntry,
  ResourceSource,
  ResourceTemplate,
} from "../../lib/mcp/table.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Authorized, Authorizer } from "./authorize.ts";
import type { CountCall } from "./count-call.ts";
import { judgedResource, readsOnly, readUri, resourceTools, type ResourceTool } from "./judged-resource.ts";
import { mountContents, mountUri, parseMountedUri } from "./mounted-uris.ts";
import type { Mount } from "./mounts.ts";

/** More of one server are left out. */
export const maxResourcesPerMount = 1_000;
/** A server that takes longer is left out of a list. */
const listTimeoutMs = 10_000;

export const statePrefix = "resource://compositor_meta/state/";

interface ResourceParts {
  mounts: readonly Mount[];
  authorizer: Authorizer;
  countCall: CountCall;
  callTimeoutMs: number;
  log: Logger;
}

export interface MountedResources extends ResourceSource {
  announce(change: ResourceChange): void;
}

interface Lists {
  resources: ResourceEntry[];
  templates: ResourceTemplate[];
}

export function createMountedResources(parts: ResourceParts): MountedResources {
  const { mounts, authorizer } = parts;
  const listeners = new Set<(change: ResourceChange) => void>();
  const byServer = new Map(mounts.map((mount) => [mount.server.name, mount]));
  const findMount = (uri: string) => {
    const named = parseMountedUri(uri);
    const mount = named && byServer.get(named.server);
    return named !== undefined && mount?.isReadable === true ? { mount, uri: named.uri } : undefined;
  };
  const findState = (uri: string) =>
    uri.startsWith(statePrefix) ? byServer.get(uri.slice(statePrefix.length)) : undefined;
  const observeShown = async (requester: Requester, tool: ResourceTool) => {
    const hides = await authorizer.observeHidden(requester);
    return ({ server }: Mount) => !hides(server.name, tool, readsOnly);
  };
  const listAll = async (requester: Requester) => {
    const shown = mounts.filter(await observeShown(requester, resourceTools.read));
    return await Promise.all(shown.map((mount) => listMount(mount, parts.log)));
  };
  return {
    async list(requester) {
      const states = mounts.map(({ server: { name } }) => ({
        uri: `${statePrefix}${name}`,
        name: `state of ${name}`,
        mimeType: "application/json",
      }));
      return [...states, ...(await listAll(requester)).flatMap(({ resources }) => resources)];
    },
    templates: async (requester) => (await listAll(requester)).flatMap(({ templates }) => templates),
    mayRead: (uri) => findState(uri) !== undefined || findMount(uri) !== undefined,
    async read(uri, context) {
      const state = findState(uri);
      if (state !== undefined) {
        void state.tools(); // Who follows hears what comes of it.
        return [renderState(uri, state)];
      }
      const found = findMount(uri);
      if (found === undefined || !(await observeShown(context, resourceTools.read))(found.mount)) return undefined;
      const call = judgedResource(found.mount.server.name, resourceTools.read, found.uri);
      const authorized = await authorizer.authorize(call, context);
      if ("answer" in authorized) return [{ uri, mimeType: "text/plain", text: authorized.answer.text }];
      return await readMounted({ ...found, uri: readUri(authorized.args) }, context, parts);
    },
    async maySubscribe(uri, context) {
      const found = findMount(uri);
      if (found === undefined) return findState(uri) !== undefined;
      if (!(await observeShown(context, resourceTools.subscribe))(found.mount)) return false;
      const call = judgedResource(found.mount.server.name, resourceTools.subscribe, found.uri);
      const authorized = await authorizer.authorize(call, context);
      if ("args" in authorized && readUri(authorized.args) === found.uri) return true;
      // Whoever subscribes hears of what it named, or of nothing.
      throw denialError({ action: "denyContinue", reason: renderInstead(authorized) });
    },
    changes(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    follow(uri) {
      const found = findMount(uri);
      return found?.mount.follow(found.uri) ?? findState(uri)?.follow(undefined) ?? (() => undefined);
    },
    announce: (change) => listeners.forEach((tell) => tell(change)),
  };
}

const renderInstead = (authorized: Authorized): string =>
  "answer" in authorized ? authorized.answer.text : `subscribe to ${readUri(authorized.args)} in its place`;

function renderState(uri: string, mount: Mount): ResourceContents {
  const { name, prefix } = mount.server;
  const text = JSON.stringify({ server: name, prefix, ...mount.observeState() });
  return { uri, mimeType: "application/json", text };
}

/** Nothing of a server that has no resources, or cannot be asked now. */
async function listMount({ server, link, isReadable }: Mount, log: Logger): Promise<Lists> {
  const nothing = { resources: [], templates: [] };
  if (!isReadable) return nothing;
  const signal = new AbortController().signal;
  const options = { signal, idleTimeoutMs: listTimeoutMs, totalTimeoutMs: listTimeoutMs };
  const lists = await link
    .use(async (connection) => (connection.hasResources ? await connection.listResources(options) : nothing))
    .catch((error: unknown): Lists => {
      log.warn({ server: server.name, err: error }, "resources of a server cannot be listed");
      return nothing;
    });
  // A list that names one twice would be cut into pages that never end.
  const resources = new Map(lists.resources.map((each) => [mountUri(server.name, each.uri), each]));
  const templates = new Map(lists.templates.map((each) => [mountUri(server.name, each.uriTemplate), each]));
  return {
    resources: [...resources].slice(0, maxResourcesPerMount).map(([uri, each]) => ({ ...each, uri })),
    templates: [...templates].slice(0, maxResourcesPerMount).map(([uriTemplate, each]) => ({ ...each, uriTemplate })),
  };
}

async function readMounted(
  { mount: { server, link }, uri }: { mount: Mount; uri: string },
  context: CallContext,
  { countCall, callTimeoutMs }: ResourceParts,
): Promise<ResourceContents[]> {
  const { signal } = context;
  const options = { signal, idleTimeoutMs: server.timeoutMs, totalTimeoutMs: callTimeoutMs };
  const ask = () => link.use((connection) => connection.readResource(uri, options));
  try {
    const { content } = await countCall({ server: server.name, operation: "resource", signal, ask });
    return content.flatMap((block) => (block.type === "resource" ? [mountContents(server.name, block.resource)] : []));
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    const misuse = findReservedMisuse(error, server.name);
    if (misuse !== undefined) throw misuse;
    throw new JsonRpcError(error.code ?? rpcCodes.internalError, error.tell(), { cause: error });
  }
}
