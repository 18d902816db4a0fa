// Which of the listed agents is meant: the one named, the only one, or the one a person picks.
import { createInterface } from "node:readline/promises";
import { mcpName } from "../../crds/names.ts";
import { suggestion } from "../../crds/did-you-mean.ts";
import { fitWidth } from "../fit-width.ts";
import { UsageError } from "../manifests/find-files.ts";
import type { Terminal } from "../terminal.ts";
import type { ListedAgent } from "./catalogue.ts";
import { ChatError } from "./chat-error.ts";

/**
 * The agent of that name, in whatever spelling; without a name the only one.
 * @throws ChatError when there is none, or it is not ready
 */
export function findAgent(agents: readonly ListedAgent[], name: string): ListedAgent {
  const found = agents.find(
    (agent) => agent.wholeName === name || agent.name === name || mcpName(agent.name) === mcpName(name),
  );
  if (found !== undefined) return found;
  const names = agents.map((agent) => agent.name);
  throw new ChatError(
    `the registry lists no agent "${name}"${suggestion(name, names)}; there is ${names.join(", ") || "none"}`,
  );
}

/** @throws ChatError when nobody can talk to it now */
export function requireReady({ name, isReady, reason }: ListedAgent): void {
  if (isReady) return;
  throw new ChatError(`agent "${name}" is not ready${reason === undefined ? "" : `: ${reason}`}; try again when it is`);
}

/** Undefined when the person leaves without picking one. */
export async function pickAgent(
  agents: readonly ListedAgent[],
  { terminal, process }: { terminal: Terminal; process: NodeJS.Process },
): Promise<ListedAgent | undefined> {
  const [only, ...others] = agents;
  if (only === undefined) throw new ChatError("the registry lists no agent; add a PallasAgent to its manifests");
  if (others.length === 0) return only;
  if (!process.stdin.isTTY || !terminal.err.isTerminal) {
    throw new UsageError(`name the agent; there is ${agents.map(({ name }) => name).join(", ")}`);
  }
  const width = Math.max(...agents.map(({ name }) => name.length));
  for (const [index, { name, description, isReady }] of agents.entries()) {
    const row = `${String(index + 1).padStart(3)}  ${name.padEnd(width)}  ${isReady ? "" : "(not ready) "}${description}`;
    terminal.complain(fitWidth(row, terminal.err.columns));
  }
  return ask(agents, process);
}

async function ask(agents: readonly ListedAgent[], process: NodeJS.Process): Promise<ListedAgent | undefined> {
  const names = agents.map(({ name }) => name);
  const left = new AbortController();
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    completer: (start: string): [string[], string] => [names.filter((name) => name.startsWith(start)), start],
  });
  lines.once("close", () => left.abort());
  try {
    for (;;) {
      const text = (await lines.question("Which agent (number or name)? ", { signal: left.signal })).trim();
      const found = agents[Number(text) - 1] ?? agents.find(({ name }) => name === text);
      if (found !== undefined) return found;
    }
  } catch (error) {
    if (!left.signal.aborted) throw error;
    process.stderr.write("\n");
    return undefined;
  } finally {
    lines.close();
  }
}
