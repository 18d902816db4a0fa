// Names of tools near to one that is not there: by the letters that they share, two at a time. Pure, and linear in the names.
const maxSuggestions = 4;
const enough = 0.4;

/** The nearest first. */
export function suggestTools(wanted: string, tools: readonly { readonly name: string }[]): string[] {
  const pairs = pairsOf(wanted);
  return tools
    .map(({ name }) => ({ name, score: similarity(pairs, pairsOf(name)) }))
    .filter(({ name, score }) => score >= enough && name !== wanted)
    .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}

function pairsOf(text: string): Set<string> {
  const plain = text.slice(0, 128).toLowerCase();
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < plain.length; at += 1) pairs.add(plain.slice(at, at + 2));
  return pairs;
}

/** Between 0 and 1 (Dice). */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let both = 0;
  for (const pair of a) both += b.has(pair) ? 1 : 0;
  return (2 * both) / (a.size + b.size);
}
