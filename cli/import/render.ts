// Resources → the texts of the files, for people to go on with: a comment above each resource names what it lacks.
import { dump } from "js-yaml";
import { apiVersion } from "../../crds/names.ts";
import { displayPath } from "../manifests/diagnostic.ts";
import type { ImportedAgent } from "./agent-spec.ts";
import type { ImportedProject } from "./convert.ts";
import type { ImportNote } from "./notes.ts";
import { ownerOf } from "./programs.ts";
import type { SecretKeys } from "./secret-keys.ts";

/** Every file that an import can write. `kubectl apply -f` takes the folder as it is, and does not look into `local`. */
export const fileNames = [
  ...([
    "instance.yaml",
    "agents.yaml",
    "servers.yaml",
    "instructions.yaml",
    "local/secrets.yaml",
    ".env.example",
  ] as const),
];
export type FileName = (typeof fileNames)[number];

/** Longer instructions go to a ConfigMap, which holds a megabyte, and leave the agent readable. */
const maxInlineChars = 16_384;

export function renderFiles(
  { instance, agents, programs, secrets }: ImportedProject,
  notes: readonly ImportNote[],
  folder: string,
): Map<FileName, string> {
  const comments = (owner: string): string[] =>
    notes
      .filter((note) => note.owner === owner && note.severity === "warning")
      .map(({ file, position, message }) => {
        const line = position === undefined ? "" : `:${position.line}`;
        return `${displayPath(file, folder)}${line}: ${message}`;
      });
  const head = ["What the agents share.", ...comments("instance")];
  const files = new Map<FileName, string>();
  files.set("instance.yaml", document(head, apiVersion, "PallasInstance", instance.name, { spec: instance.spec }));
  files.set("agents.yaml", agents.map((agent) => renderAgent(agent, comments(agent.source.name))).join("---\n"));
  const servers = programs.map(({ name, resource, spec }) =>
    document(comments(ownerOf(name)), apiVersion, "PallasServer", resource, { spec }),
  );
  if (servers.length > 0) files.set("servers.yaml", servers.join("---\n"));
  const texts = agents.flatMap(({ source, instruction }) =>
    instruction === undefined || !isLong(instruction)
      ? []
      : [document([], "v1", "ConfigMap", configMapName(source.name), { data: { [configMapKey]: instruction } })],
  );
  if (texts.length > 0) files.set("instructions.yaml", texts.join("---\n"));
  if (secrets.all.length > 0) {
    files.set("local/secrets.yaml", renderSecret(secrets));
    files.set(".env.example", renderVariables(secrets));
  }
  return files;
}

const isLong = (instruction = ""): boolean => instruction.length > maxInlineChars;
const configMapName = (agent: string): string => `${agent}-instruction`;
const configMapKey = "instruction.md";

function renderAgent({ source, instruction, spec }: ImportedAgent, comments: readonly string[]): string {
  const { instanceRef, title, description, ...rest } = spec;
  const { name } = source;
  const text = isLong(instruction)
    ? { instructionFrom: { configMapKeyRef: { name: configMapName(name), key: configMapKey } } }
    : { instruction };
  const ordered = { instanceRef, title, description, ...text, ...rest };
  return document(comments, apiVersion, "PallasAgent", name, { spec: ordered });
}

function renderSecret({ name, all }: SecretKeys): string {
  const literals = all.map(({ key, template }) => `--from-literal='${key}=${template.replace(/\$\{.*/, "…")}'`);
  const comments = [
    "For this machine only: ${…} is filled in from the environment, or from a file .env in the folder above.",
    "A cluster would keep ${…} as it stands. There instead:",
    `kubectl create secret generic ${name} ${literals.join(" ")}`,
  ];
  const stringData = Object.fromEntries(all.map(({ key, template }) => [key, template]));
  return document(comments, "v1", "Secret", name, { stringData });
}

function renderVariables({ all }: SecretKeys): string {
  const users = Map.groupBy(all, ({ variable }) => variable);
  const lines = [...users].map(([variable, keys]) => `# ${keys.map(({ key }) => key).join(", ")}\n${variable}=\n`);
  return `# Copy to .env and fill in; keep .env out of version control.\n${lines.join("")}`;
}

function document(comments: readonly string[], version: string, kind: string, name: string, contents: object): string {
  const whole = { apiVersion: version, kind, metadata: { name }, ...contents };
  const written: unknown = JSON.parse(
    JSON.stringify(whole, (_, value: unknown) => (isEmpty(value) ? undefined : value)),
  );
  return `${comments.map((line) => `# ${line}\n`).join("")}${dump(written, { lineWidth: -1, noRefs: true })}`;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.values(value).every((each) => each === undefined);
