// Reads one HTTP request to the API server the way RBAC names it: verb, resource with subresource, namespace, name.
// Knows nothing of bodies except that a POST says the object's name only there.

export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** get, list, watch, create, update, patch, delete or deletecollection. */
  readonly verb: string;
  /** "" for the core group and for paths that name no resource. */
  readonly group: string;
  /** Plural, with its subresource: `pallasagents/status`. "" where the path names none, such as /version. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** It is meant to change something (dry runs are not). */
  readonly isWrite: boolean;
}

const writeVerbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };
const namespaceSubresources = new Set(["status", "finalize"]);

/** `target` is the request target, from the first slash on; `body` is looked at for the name of a new object only. */
export function parseApiRequest(method: string, target: string, body = ""): ApiRequest {
  const { pathname, searchParams: query } = new URL(target, "http://api");
  const { group, rest } = splitGroup(pathname.split("/").filter((part) => part !== ""));
  const scope = splitNamespace(rest);
  const [resource = "", nameInPath, ...sub] = scope.rest;
  const verb = verbOf(method, query, nameInPath !== undefined);
  return {
    method,
    path: pathname,
    query,
    verb,
    group,
    resource: [resource, ...sub].join("/"),
    namespace: scope.namespace ?? (resource === "namespaces" ? nameInPath : undefined),
    name: nameInPath ?? (verb === "create" ? nameIn(body) : undefined),
    isWrite: !["get", "list", "watch"].includes(verb) && !query.has("dryRun"),
  };
}

function splitGroup([root, ...rest]: string[]): { group: string; rest: string[] } {
  if (root === "api") return { group: "", rest: rest.slice(1) };
  if (root === "apis") return { group: rest[0] ?? "", rest: rest.slice(2) };
  return { group: "", rest: [] };
}

function splitNamespace(parts: string[]): { namespace: string | undefined; rest: string[] } {
  const [first, namespace, third, ...more] = parts;
  if (first !== "namespaces" || third === undefined || namespaceSubresources.has(third)) {
    return { namespace: undefined, rest: parts };
  }
  return { namespace, rest: [third, ...more] };
}

function verbOf(method: string, query: URLSearchParams, hasName: boolean): string {
  if (method === "DELETE") return hasName ? "delete" : "deletecollection";
  if (method !== "GET") return writeVerbs[method] ?? method.toLowerCase();
  if (["1", "true"].includes(query.get("watch") ?? "")) return "watch";
  return hasName ? "get" : "list";
}

function nameIn(body: string): string | undefined {
  try {
    const name: unknown = JSON.parse(body)?.metadata?.name;
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined; // the API server will say what is wrong with it
  }
}
