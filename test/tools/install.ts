// Installs what is missing of packages.ts, where there is apt-get and root; elsewhere an error says what to install.
// As a program it is `make tools`.
import { canInstall, installPackages } from "../../images/apt.ts";
import { findAbsent, toolPackages, type ToolPackage } from "./packages.ts";

const namesOf = (packages: readonly ToolPackage[]): string => packages.map(({ name }) => name).join(" ");

export function renderMissing(absent: readonly ToolPackage[]): string {
  const width = Math.max(...absent.map(({ name }) => name.length));
  return [
    "expected root and apt-get to install what is missing here, found no such rights or no apt-get; on Debian run",
    `  sudo apt-get install --no-install-recommends ${namesOf(absent)}`,
    "elsewhere install the like of",
    ...absent.map(({ name, why }) => `  ${name.padEnd(width)}  which ${why}`),
  ].join("\n");
}

export async function installTools(packages: readonly ToolPackage[], report: (line: string) => void): Promise<void> {
  const absent = await findAbsent(packages);
  if (absent.length === 0) return;
  if (!(await canInstall())) throw new Error(renderMissing(absent));
  report(`installing ${namesOf(absent)} with apt-get…`);
  await installPackages(
    absent.map(({ name }) => name),
    report,
  );
  const left = await findAbsent(absent);
  if (left.length === 0) return;
  const programs = left.flatMap((each) => each.programs).join(", ");
  throw new Error(
    `expected ${programs} once ${namesOf(left)} is installed, found none; look at where they are, and PATH`,
  );
}

if (import.meta.main) {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    await installTools(toolPackages, report);
    report("every program that the tests use is installed");
  } catch (error) {
    report(error instanceof Error ? `${error.message}${renderCause(error.cause)}` : String(error));
    process.exitCode = 1;
  }
}

function renderCause(cause: unknown): string {
  return cause instanceof Error ? `:\n${cause.message}` : "";
}
