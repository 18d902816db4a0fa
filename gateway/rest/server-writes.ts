// POST and PUT of servers as writes of PallasServers: judged first as `pallas check` would, then written in the caller's name. It
// answers with the name by which the server is known from then on.
import { apiVersion } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { parseServer } from "../../plan/parse.ts";
import { formatProblem } from "../../plan/validation-error.ts";
import type { Rules } from "../../plan/rules.ts";
import type * as z from "zod";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { seesServer } from "../management/access.ts";
import { judgeChange } from "../management/judge-change.ts";
import { applyMergePatch } from "../merge-patch.ts";
import type { ServerEntry } from "../servers/entry.ts";
import { writable } from "../servers/activation.ts";
import type { GatewayState, WritesFor } from "../state/state.ts";
import { RestError, wrongField } from "./answers.ts";
import { renderNewSpec, renderSpecChange, resourceNameOf, type postBody, type putBody } from "./server-body.ts";

export interface ServerWritesParts {
  state: Pick<
    GatewayState,
    "namespace" | "instance" | "getServer" | "getInstance" | "listAgents" | "listServers" | "listPolicies"
  >;
  writesFor: WritesFor;
  rules: Rules;
}

export interface ServerWrites {
  create(body: z.output<typeof postBody>, caller: Identity): Promise<string>;
  change(server: ServerEntry, body: z.output<typeof putBody>, caller: Identity): Promise<string>;
}

export function createServerWrites(parts: ServerWritesParts): ServerWrites {
  const { state, writesFor } = parts;
  const requireFree = (name: string, caller: Identity) => {
    if (!seesServer(caller, name)) {
      throw new RestError(403, "forbidden", "your role is narrowed to servers of other names");
    }
    if (state.getServer(name) === undefined) return;
    throw new RestError(409, "conflict", `there is a server "${name}" already: choose another name`);
  };
  return {
    async create(body, caller) {
      requireFree(body.name, caller);
      const spec = renderNewSpec(body, state.instance);
      const manifest = requireSound(parts, resourceNameOf(body.name), spec);
      await writesFor(caller).servers.create(manifest);
      return body.name;
    },
    async change(server, body, caller) {
      const resourceName = writable(server);
      const { name = server.name } = body;
      if (name !== server.name) requireFree(name, caller);
      const before = server.known.resource?.spec;
      if (before === undefined) throw new Error(`expected the resource of server "${server.name}"`);
      const change = renderSpecChange(body, before, resourceName);
      const changed = applyMergePatch(before, change);
      if (!isJsonObject(changed)) throw new Error(`expected a spec of server "${server.name}"`);
      requireSound(parts, resourceName, changed);
      await writesFor(caller).servers.patch(resourceName, { spec: change });
      return name;
    },
  };
}

const localCure =
  "runs a program of this machine, which a cluster does not: give an npx, uvx or docker command, the url of a server that runs elsewhere, or use pallas up";

function requireSound({ state, rules }: ServerWritesParts, name: string, spec: Record<string, unknown>): PallasServer {
  if (spec["local"] !== undefined && rules.mode === "cluster") throw wrongField("command", localCure);
  const problems = judgeChange(state, rules, { kind: "PallasServer", name, spec });
  if (problems.length > 0) throw new RestError(422, "invalid", problems.join("\n"));
  const metadata = { name, namespace: state.namespace };
  const found = parseServer({ apiVersion, kind: "PallasServer", metadata, spec });
  if (!found.ok) throw new RestError(422, "invalid", found.problems.map(formatProblem).join("\n"));
  return found.value;
}
