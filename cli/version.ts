// The release, as package.json says it: one folder above ours, and above dist/ too.
import { readFileSync } from "node:fs";

export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return version;
}
