// Resources → the texts of the files, for people to go on with: a comment above each resource names what it lacks.
import { dump } from "js-yaml";
import { apiVersion } from "../../crds/names.ts";
import { displayPath } from "../manifests/diagnostic.ts";
import type { ImportedAgent } from "./agent-spec.ts";
import type { ImportedProject } from "./convert.ts";
import type { ImportNote } from "./notes.ts";
import type { SecretKey } from "./secret-keys.ts";

/** Every file that an import can write. `kubectl apply -f` takes the folder as it is, and does not look into `local`. */
export const fileNames = [
  ...(["instance.yaml", "agents.yaml", "instructions.yaml", "local/secrets.yaml", ".env.example"] as const),
];
export type FileName = (typeof fileNames)[number];

/** Longer instructions go to a ConfigMap, which holds a megabyte, and leave the agent readable. */
const maxInlineLength = 16_384;

export function renderFiles(
  project: ImportedProject,
  notes: readonly ImportNote[],
  folder: string,
): Map<FileName, string> {
  const { instance, agents, secrets } = project;
  const comments = (owner: string): string[] =>
    notes
      .filter((note) => note.owner === owner && note.severity === "warning")
      .map(({ file, position, message }) => {
        const line = position === undefined ? "" : `:${position.line}`;
        return `${displayPath(file, folder)}${line}: ${message}`;
      });
  const files = new Map<FileName, string>();
  files.set(
    "instance.yaml",
    document(["What the agents share.", ...comments("instance")], {
      apiVersion,
      kind: "PallasInstance",
      metadata: { name: instance.name },
      spec: instance.spec,
    }),
  );
  files.set("agents.yaml", agents.map((agent) => renderAgent(agent, comments(agent.source.name))).join("---\n"));
  const long = agents.filter(({ instruction }) => isLong(instruction));
  if (long.length > 0) files.set("instructions.yaml", long.map(renderInstruction).join("---\n"));
  if (secrets.all.length > 0) {
    files.set("local/secrets.yaml", renderSecret(secrets.name, secrets.all));
    files.set(".env.example", renderVariables(secrets.all));
  }
  return files;
}

const isLong = (instruction = ""): boolean => instruction.length > maxInlineLength;
const configMapName = (agent: string): string => `${agent}-instruction`;
const configMapKey = "instruction.md";

function renderAgent({ source, instruction, spec }: ImportedAgent, comments: readonly string[]): string {
  const { instanceRef, title, description, ...rest } = spec;
  const text = isLong(instruction)
    ? { instructionFrom: { configMapKeyRef: { name: configMapName(source.name), key: configMapKey } } }
    : instruction === undefined
      ? {}
      : { instruction };
  return document(comments, {
    apiVersion,
    kind: "PallasAgent",
    metadata: { name: source.name },
    spec: {
      instanceRef,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...text,
      ...rest,
    },
  });
}

const renderInstruction = ({ source, instruction = "" }: ImportedAgent): string =>
  document([], {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: configMapName(source.name) },
    data: { [configMapKey]: instruction },
  });

function renderSecret(name: string, keys: readonly SecretKey[]): string {
  const literals = keys
    .map(({ key, template }) => `--from-literal='${key}=${template.replace(/\$\{.*/, "…")}'`)
    .join(" ");
  return document(
    [
      "For this machine only: ${…} is filled in from the environment, or from a file .env in the folder above.",
      "A cluster would keep ${…} as it stands. There instead:",
      `kubectl create secret generic ${name} ${literals}`,
    ],
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name },
      stringData: Object.fromEntries(keys.map(({ key, template }) => [key, template])),
    },
  );
}

function renderVariables(keys: readonly SecretKey[]): string {
  const users = new Map<string, string[]>();
  for (const { variable, key } of keys) users.set(variable, [...(users.get(variable) ?? []), key]);
  const lines = [...users].map(([variable, names]) => `# ${names.join(", ")}\n${variable}=\n`);
  return `# Copy to .env and fill in; keep .env out of version control.\n${lines.join("")}`;
}

function document(comments: readonly string[], value: object): string {
  const head = comments.map((line) => `# ${line}\n`).join("");
  return `${head}${dump(value, { lineWidth: -1, noRefs: true })}`;
}
