// Mistakes in what is said of manifests: keys that are shown, problems that pass for ever, projects that are read wrongly.
import type { Mutant } from "./mutant.ts";

export const manifestMutants: readonly Mutant[] = [
  {
    file: "cli/check.ts",
    find: "manifests.resources.length === 0 && !isUnread",
    replace: "found.files.length === 0 && !isUnread",
    breaks: "a pipeline that checks a folder without resources is green for ever",
  },
  {
    file: "plan/secret-text.ts",
    find: '"apiKey", "headers"',
    replace: '"headers"',
    breaks: "a key that stands where a Secret should be named is printed into logs of CI",
  },
  {
    file: "cli/manifests/judge.ts",
    find: "excerpt === undefined || isSecret ?",
    replace: "excerpt === undefined ?",
    breaks: "the line under a message shows the key that the message leaves out",
  },
  {
    file: "cli/manifests/yaml-documents.ts",
    find: 'reason.replaceAll(/!<[^>]*>|".*"|: .*/gs, "…")',
    replace: "reason",
    breaks: "a key that begins with * or ! is printed as an unknown alias or tag",
  },
  {
    file: "cli/read-bounded.ts",
    find: 'if (!found.isFile()) return { kind: "not a file" };',
    replace: "",
    breaks: "a FIFO among the manifests hangs the command",
  },
  {
    file: "cli/read-bounded.ts",
    find: "if (size > maxBytes) return undefined;",
    replace: "",
    breaks: "a pipe that never ends eats the memory",
  },
  {
    file: "cli/manifests/find-files.ts",
    find: "const hasLocal = !isForCluster && ",
    replace: "const hasLocal = ",
    breaks: "Secrets with placeholders are judged as if a cluster got them",
  },
  {
    file: "plan/advice.ts",
    find: "placeholder.test(value) || !isCredential",
    replace: "!placeholder.test(value) || !isCredential",
    breaks: "a literal token in a header is not warned of",
  },
  {
    file: "plan/accept.ts",
    find: "agent.spec.instruction?.trim() === todo",
    replace: "agent.spec.instruction === undefined",
    breaks: "an agent whose instruction an import lost runs on nothing",
  },
  {
    file: "agent-runtime/inputs/secrets.ts",
    find: "placeholder.test(value)",
    replace: "false",
    breaks: "an agent sends ${OPENAI_API_KEY} as its key, and nothing says why it gets 401",
  },
  {
    file: "agent-runtime/tools/toolbox.ts",
    find: "    isDone = true;\n    const patterns",
    replace: "    const patterns",
    breaks: "each call logs the same warning",
  },
  {
    file: "cli/import/convert.ts",
    find: "[...names.map((name) => `.fast-agent/${name}`), ...names]",
    replace: "[...names, ...names.map((name) => `.fast-agent/${name}`)]",
    breaks: "an import takes the settings that fast-agent passes over",
  },
  {
    file: "cli/import/agent-spec.ts",
    find: "return isGiven ? todo : undefined;",
    replace: "return undefined;",
    breaks: "an agent whose instruction was lost runs on that of nobody",
  },
  {
    file: "cli/import/providers.ts",
    find: "name === value ? model :",
    replace: "true ? model :",
    breaks: "the value of a variable is shown",
  },
  {
    file: "cli/import/import.ts",
    find: "const lacking = hasModel ? 0 :",
    replace: "const lacking = true ? 0 :",
    breaks: "agents that only echo are said to have a model",
  },
];
