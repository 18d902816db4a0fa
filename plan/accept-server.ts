// Contradictions of a tool server that a schema cannot see, and names that two would have (DSC-6). One that is not accepted
// keeps what runs of it, as an agent does (OPR-5).
import type { PallasInstance } from "../crds/instance.ts";
import { serverChildren } from "../crds/names.ts";
import type { PallasServer } from "../crds/server.ts";
import { hostHeader, placeholderProblem, urlProblems } from "./accept.ts";
import { serverAmountProblems } from "./accept-amounts.ts";
import { serverKeyProblems } from "./accept-keys.ts";
import { podProblems } from "./accept-pods.ts";
import { isRefusedHost } from "./addresses.ts";
import { hostUrl } from "./egress.ts";
import type { Mode } from "./rules.ts";
import { serverNameOf } from "./server.ts";
import type { ValidationError } from "./validation-error.ts";

const invalid = (path: string, message: string): ValidationError => ({ reason: "InvalidField", path, message });

const placeholders = ({ spec }: PallasServer): ValidationError[] => [
  ...placeholderProblem("spec.remote.url", spec.remote?.url),
  ...(spec.remote?.headers ?? []).flatMap(({ value }, at) =>
    placeholderProblem(`spec.remote.headers[${at}].value`, value),
  ),
  ...(spec.env ?? []).flatMap(({ value }, at) => placeholderProblem(`spec.env[${at}].value`, value)),
];

/** What one mode cannot run at all. */
function placeProblems({ spec }: PallasServer, mode: Mode): ValidationError[] {
  if (mode === "cluster" && spec.local !== undefined) {
    const message =
      "is a program of one machine, which only pallas up can start; use package or container, or remote with the URL of where it runs";
    return [{ reason: "LocalOnly", path: "spec.local", message }];
  }
  if (mode === "local" && spec.container !== undefined) {
    const message =
      "is an image, and pallas up starts programs, no containers; start it yourself and name its URL in remote, or use package or local here";
    return [invalid("spec.container", message)];
  }
  return [];
}

const headerProblems = ({ spec }: PallasServer): ValidationError[] =>
  (spec.remote?.headers ?? []).flatMap(({ name }, at) =>
    name.toLowerCase() === "host" ? [invalid(`spec.remote.headers[${at}].name`, hostHeader)] : [],
  );

const egressProblems = ({ spec }: PallasServer): ValidationError[] =>
  (spec.egress ?? []).flatMap(({ host, port }, at): ValidationError[] => {
    const path = `spec.egress[${at}].host`;
    const url = hostUrl(host, port);
    if (!URL.canParse(url)) return [invalid(path, `expected a host name or IP address, found "${host}"; correct it`)];
    if (!isRefusedHost(new URL(url))) return [];
    return [invalid(path, `found "${host}", a link-local or metadata address, which nothing may reach; remove it`)];
  });

/**
 * Variables that say where a server writes: in a pod only one folder can be written, and these lead there. Of a server in a
 * package also where its program is looked for, which is in our image.
 */
const ownFolders =
  /^(HOME|TMPDIR|TMP|TEMP|XDG_[A-Z_]+|UV_[A-Z_]*DIR|npm_config_(cache|prefix)|NPM_CONFIG_(CACHE|PREFIX))$/;
const ownPaths = /^(PATH|LD_PRELOAD|LD_LIBRARY_PATH)$/;

/** A program of this machine is its user's own affair. */
function variableProblems({ spec }: PallasServer): ValidationError[] {
  if (spec.local !== undefined) return [];
  return (spec.env ?? []).flatMap(({ name }, at): ValidationError[] => {
    const isFolder = ownFolders.test(name);
    if (!isFolder && (spec.package === undefined || !ownPaths.test(name))) return [];
    const why = isFolder ? "leads to the one folder of the pod that can be written" : "leads to npx and uvx";
    return [invalid(`spec.env[${at}].name`, `${name} is set by Pallas, since it ${why}; remove it`)];
  });
}

/** Its tools would be named as those of a server of the instance's own. */
function inlineNameProblems(server: PallasServer, instance: PallasInstance): ValidationError[] {
  const name = serverNameOf(server);
  const inline = (instance.spec.servers ?? []).find((each) => each.name === name || each.prefix === name);
  if (inline === undefined) return [];
  const { name: instanceName } = instance.metadata;
  const what = inline.name === name ? `a server "${name}"` : `the prefix "${name}", of its server "${inline.name}"`;
  return [nameProblem(server, `instance "${instanceName}" has ${what} in spec.servers already`)];
}

function nameProblem({ spec }: PallasServer, why: string): ValidationError {
  const path = spec.serverName === undefined ? "metadata.name" : "spec.serverName";
  return { reason: "DuplicateName", path, message: `${why}; set another spec.serverName, or remove one of the two` };
}

/** Problems of a tool server by itself and in its instance. */
export const acceptServer = (server: PallasServer, instance: PallasInstance, mode: Mode): ValidationError[] => [
  ...placeProblems(server, mode),
  ...(mode === "cluster" ? placeholders(server) : []),
  ...urlProblems("spec.remote.url", server.spec.remote?.url),
  ...headerProblems(server),
  ...egressProblems(server),
  ...variableProblems(server),
  ...serverKeyProblems(server),
  ...podProblems("spec.pod", server.spec.pod),
  ...serverAmountProblems(server),
  ...inlineNameProblems(server, instance),
];

const isBefore = (a: PallasServer, b: PallasServer): boolean => {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  return first === second ? a.metadata.name < b.metadata.name : first < second;
};

/** By the name that agents refer to, the one that has it: the earliest. */
export function serversByName(servers: Iterable<PallasServer>): Map<string, PallasServer> {
  const holders = new Map<string, PallasServer>();
  for (const server of servers) {
    const name = serverNameOf(server);
    const holder = holders.get(name);
    if (holder === undefined || isBefore(server, holder)) holders.set(name, server);
  }
  return holders;
}

/** That another server of the instance has its name, or an agent that of what would run it. @param agents names of agents */
export function takenNameProblems(
  server: PallasServer,
  holders: ReadonlyMap<string, PallasServer>,
  agents: { has(name: string): boolean },
): ValidationError[] {
  const name = serverNameOf(server);
  const holder = holders.get(name);
  const deployment = serverChildren(server.metadata.name).deployment;
  return [
    ...(holder === undefined || holder.metadata.name === server.metadata.name
      ? []
      : [nameProblem(server, `"${name}" is the name of the earlier PallasServer "${holder.metadata.name}"`)]),
    ...(agents.has(deployment)
      ? [
          {
            reason: "DuplicateName" as const,
            path: "metadata.name",
            message: `its pods would have the name of the agent "${deployment}"; give one of the two another name`,
          },
        ]
      : []),
  ];
}
