// Puts one case before both judges and says, in words, where they disagree or both miss the problem.
import type { ResourceDefinition } from "../../../crds/definition.ts";
import type { Case } from "./field-cases.ts";
import { checkVerdict, type Verdict } from "./verdicts.ts";

const parallelRequests = 16;
const cut = (text: string) => (text.length > 600 ? `${text.slice(0, 600)}…` : text);
const tell = ({ accepted, said }: Verdict) => (accepted ? "accepted" : `refused: ${cut(said)}`);

/** Undefined when both say the same, and what the schema lets one expect. */
function disagreement(definition: ResourceDefinition, { title, manifest, path, expected }: Case, server: Verdict) {
  const ours = checkVerdict(definition, manifest, server.decodingOnly);
  const told = `${cut(title)}\n  API server ${tell(server)}\n  pallas check ${tell(ours)}`;
  if (server.accepted !== ours.accepted) return told;
  if (server.fields.join() !== ours.fields.join()) {
    return `${told}\n  fields ${server.fields.join()} | ${ours.fields.join()}`;
  }
  if (expected === undefined) return undefined;
  const isNamed = server.fields.some((field) => field.startsWith(path));
  return isNamed === (expected === "refused") ? undefined : `${told}\n  expected ${path} to be ${expected}`;
}

/** Every disagreement among the cases; none is the aim. */
export async function disagreements(
  definition: ResourceDefinition,
  cases: readonly Case[],
  ask: (manifest: unknown) => Promise<{ verdict: Verdict }>,
): Promise<string[]> {
  const found: string[] = [];
  const pending = [...cases];
  const worker = async () => {
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { verdict } = await ask(next.manifest);
      const told = disagreement(definition, next, verdict);
      if (told !== undefined) found.push(told);
    }
  };
  await Promise.all(Array.from({ length: parallelRequests }, worker));
  return found;
}
