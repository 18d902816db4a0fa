// Which line on a server's standard error says why it could not be started. The last one often does not: npm ends with where its
// log is, Node with its version. It is chosen for people to read, and nothing is decided by it.

/** Frames and ends of stacks, and what package managers say of every failure. */
const saysNothing =
  /^(at |Node\.js v\d|[\]})^,;~-]+$|npm (notice|warn)\b|npm (error|ERR!) *(\d+ *)?(Note that|tarball,|A complete log|$))/;
const saysWhy = /error|exception|fatal|cannot|could not|not found|denied|fail|missing|required|unsatisfiable/i;

/** The last that names a problem, else the last that says anything. */
export function findTellingLine(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => !saysNothing.test(line));
  return said.findLast((line) => saysWhy.test(line)) ?? said.at(-1) ?? lines.at(-1);
}
