// The manifests judged: plan/'s verdict with the place of every problem, and what only files can tell, such as a Secret
// that no manifest provides or a variable that is not set.
import type { ValidationReason } from "../../crds/conditions.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { Resource } from "../../crds/kinds.ts";
import { renderUnfilled } from "../../crds/references.ts";
import type { PallasServer } from "../../crds/server.ts";
import { adviseAgent, adviseInstance, adviseServer } from "../../plan/advice.ts";
import { checkManifests, livePolicies, type Checked } from "../../plan/check.ts";
import { gatewayFiles, resolveGateway } from "../../plan/gateway.ts";
import { formatProblem } from "../../plan/validation-error.ts";
import { renderResolved } from "../../plan/resolved.ts";
import type { Rules } from "../../plan/rules.ts";
import { referencedFiles } from "../../plan/run-config.ts";
import { resolveServer, secretsOfServer, serverNameOf } from "../../plan/server.ts";
import { isSecretPath, looksSecret } from "../../plan/secret-text.ts";
import { bySeverityAndPlace, type Diagnostic } from "./diagnostic.ts";
import { expandObject, placeholdersIn, type Environment, type LocalObject } from "./local-objects.ts";
import { sourceOf, type Manifests, type Source } from "./read-manifests.ts";
import type { FieldPart } from "./yaml-nodes.ts";

export interface Judged {
  checked: Checked<Source>;
  /** In the order of severity, file and line. */
  diagnostics: Diagnostic[];
}

/** What the API server and the operator would say of these manifests, or in mode "local" what can run here. */
export function judge(manifests: Manifests, rules: Rules, environment: Environment): Judged {
  const checked = checkManifests(manifests.resources, rules);
  // What seems to be missing may be in the document that could not be read; that one is faulty enough.
  const isUnreadable = manifests.diagnostics.some(({ severity }) => severity === "error");
  const told = checked.problems.filter(({ reason }) => !isUnreadable || !notThere.has(reason));
  const problems = told.map((problem): Diagnostic => ({
    ...placeOf(problem.source, problem.path, problem.reason === "UnknownField" ? "key" : "value"),
    severity: "error",
    message: `${problem.subject}: ${formatProblem(problem)}`,
  }));
  const references = findReferences(checked);
  const local =
    rules.mode === "local"
      ? [...unsetSettings(manifests, checked, environment), ...unsetSecrets(manifests, references, environment)]
      : literalPlaceholders(manifests, references);
  const advice = findAdvice(manifests, checked, rules);
  const all = [...manifests.diagnostics, ...problems, ...advice, ...local, ...missingFiles(manifests, references)];
  return { checked, diagnostics: all.toSorted(bySeverityAndPlace) };
}

const notThere: ReadonlySet<ValidationReason> = new Set([
  "AgentNotFound",
  "InstanceNotFound",
  "ServerNotFound",
  "PolicyNotFound",
]);

function placeOf(
  { file, document, lines }: Source,
  path: string,
  part: FieldPart = "value",
): Pick<Diagnostic, "file" | "position" | "excerpt"> {
  const position = document.locate(path, part);
  const excerpt = lines[position.line - 1];
  // The line may hold what the message does not show.
  const isSecret =
    isSecretPath(path.split(/[.[\]]+/)) || /(key|token|secret|password)$/i.test(path) || looksSecret(excerpt ?? "");
  return { file, position, ...(excerpt === undefined || isSecret ? {} : { excerpt }) };
}

/** What is sound and probably not meant. */
function findAdvice(
  manifests: Manifests,
  { instances, servers, policies, accepted }: Checked<Source>,
  { mode }: Rules,
): Diagnostic[] {
  const ofInstances = instances.map((resource) => ({ resource, advice: adviseInstance(resource, mode) }));
  const ofServers = servers.map(({ server }) => ({ resource: server, advice: adviseServer(server) }));
  const soundOf = (instance: PallasInstance) =>
    new Map(servers.filter((each) => each.instance === instance).map(({ server }) => [serverNameOf(server), server]));
  const ofAgents = accepted.map(({ agent, instance }) => ({
    resource: agent,
    advice: adviseAgent(agent, {
      instance,
      servers: { sound: soundOf(instance), faulty: new Map() },
      policies: livePolicies(instance, policies),
    }),
  }));
  return [...ofInstances, ...ofServers, ...ofAgents].flatMap(({ resource, advice }) => {
    const { kind, metadata } = resource;
    const source = sourceOf(manifests, resource);
    return source === undefined
      ? []
      : advice.map(({ path, message }): Diagnostic => ({
          ...placeOf(source, path),
          severity: "warning",
          message: `${kind} ${metadata.namespace}/${metadata.name}: ${path}: ${message}`,
        }));
  });
}

/** Variables that settings refer to and that are not set (CFG-6, CFG-7). */
function unsetSettings(manifests: Manifests, checked: Checked<Source>, environment: Environment): Diagnostic[] {
  const settings = [
    ...checked.instances.map((resource) => ({ resource, texts: settingsOf(resource) })),
    ...checked.servers.map(({ server }) => ({ resource: server, texts: settingsOfServer(server) })),
  ];
  return settings.flatMap(({ resource, texts }) => {
    const source = sourceOf(manifests, resource);
    return source === undefined
      ? []
      : texts.flatMap(({ owner, path, text }) =>
          placeholdersIn(text)
            .filter((name) => environment[name] === undefined)
            .map((name): Diagnostic => ({
              ...placeOf(source, path),
              severity: "warning",
              message: `${path}: the variable ${name} is not set, so that ${owner} will not work; set it, or add it to .env`,
            })),
        );
  });
}

interface Setting {
  owner: string;
  path: string;
  text: string;
}

const settingsOfServer = ({ metadata: { name: owner }, spec }: PallasServer): Setting[] =>
  [
    { path: "spec.remote.url", text: spec.remote?.url },
    ...(spec.remote?.headers ?? []).map(({ value }, at) => ({
      path: `spec.remote.headers[${at}].value`,
      text: value,
    })),
    ...(spec.env ?? []).map(({ value }, at) => ({ path: `spec.env[${at}].value`, text: value })),
  ].map(({ path, text = "" }) => ({ owner, path, text }));

/** Every text of an instance in which a placeholder may stand. */
const settingsOf = ({ spec }: PallasInstance): Setting[] =>
  (["providers", "servers"] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((entry, index) => {
      const path = `spec.${field}[${index}]`;
      const headers = (entry.headers ?? []).map(({ value }, at) => ({
        path: `${path}.headers[${at}].value`,
        text: value,
      }));
      return [
        ...("baseUrl" in entry ? [{ path: `${path}.baseUrl`, text: entry.baseUrl }] : []),
        ...("url" in entry ? [{ path: `${path}.url`, text: entry.url }] : []),
        ...headers,
      ].map(({ path: where, text = "" }) => ({ owner: entry.name, path: where, text }));
    }),
  );

/** A key of a Secret or ConfigMap that an agent, a tool server or a gateway reads, by its whole name. */
interface Reference {
  reader: Resource;
  kind: LocalObject["kind"];
  name: string;
  key: string;
}

const idOf = (kind: string, namespace: string, name: string, key: string): string =>
  `${kind} ${namespace}/${name}/${key}`;

function findReferences({ instances, runnable, servers }: Checked<Source>): Map<string, Reference> {
  const references = new Map<string, Reference>();
  const add = (reader: Resource, kind: LocalObject["kind"], files: readonly { name: string; key: string }[]): void => {
    for (const { name, key } of files) {
      const id = idOf(kind, reader.metadata.namespace, name, key);
      if (!references.has(id)) references.set(id, { reader, kind, name, key });
    }
  };
  for (const { agent, around } of runnable) {
    const { secrets, texts } = referencedFiles(
      renderResolved(agent, around, { agent: () => "", server: () => "", registry: () => "", gateway: () => "" })
        .config,
    );
    add(agent, "Secret", secrets);
    add(agent, "ConfigMap", texts);
  }
  for (const instance of instances) {
    const gateway = resolveGateway(instance);
    if (gateway !== undefined) add(instance, "Secret", gatewayFiles(gateway.config));
  }
  for (const { server, instance } of servers) {
    add(server, "Secret", secretsOfServer(resolveServer(server, instance, "")));
  }
  return references;
}

/** Keys of Secrets that agents, servers and gateways read and that lack a variable (CFG-6). */
const unsetSecrets = (
  { objects }: Manifests,
  references: ReadonlyMap<string, Reference>,
  environment: Environment,
): Diagnostic[] =>
  objects.flatMap((object) =>
    expandObject(object, environment)
      .unset.filter(({ key }) => references.has(idOf(object.kind, object.namespace, object.name, key)))
      .map(({ key, variables }): Diagnostic => ({
        severity: "warning",
        file: object.file,
        position: object.document.locate(`stringData.${key}`),
        message: renderUnfilled(object.name, key, variables),
      })),
  );

/** In a cluster nobody fills `${ENV}` into a Secret. */
const literalPlaceholders = ({ objects }: Manifests, references: ReadonlyMap<string, Reference>): Diagnostic[] =>
  objects.flatMap(({ kind, namespace, name, templates, file, document }) =>
    [...templates]
      .filter(
        ([key, template]) => placeholdersIn(template).length > 0 && references.has(idOf(kind, namespace, name, key)),
      )
      .map(([key]): Diagnostic => ({
        severity: "note",
        file,
        position: document.locate(`stringData.${key}`),
        message: `${kind} "${name}": ${key} holds a placeholder, which only local mode expands; a cluster keeps it as it stands`,
      })),
  );

/** References to Secrets and ConfigMaps that no manifest provides: in a cluster they may be there, here they are not. */
function missingFiles(manifests: Manifests, references: ReadonlyMap<string, Reference>): Diagnostic[] {
  const provided = new Set(
    manifests.objects.flatMap(({ kind, namespace, name, values, templates }) =>
      [...values.keys(), ...templates.keys()].map((key) => idOf(kind, namespace, name, key)),
    ),
  );
  return [...references].flatMap(([id, { reader, kind, name, key }]): Diagnostic[] => {
    const source = sourceOf(manifests, reader);
    if (provided.has(id) || source === undefined) return [];
    const { namespace, name: readerName } = reader.metadata;
    const message = `${reader.kind} ${namespace}/${readerName} needs key "${key}" of ${kind} "${name}", which is in none of these files; add it, or create it in the cluster`;
    return [{ severity: "note", file: source.file, position: source.document.start, message }];
  });
}
