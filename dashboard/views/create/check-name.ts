// What is wrong with a name, before the gateway is asked. Pure.
import { maxNameChars } from "../../../crds/names.ts";
import { createWords as words } from "../../words/create.ts";
import { fill } from "../../words/fill.ts";

const nameForm = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Undefined for one that may be, and while there is none. */
export function checkName(name: string, taken: readonly string[]): string | undefined {
  if (name === "") return undefined;
  if (name.length > maxNameChars || !nameForm.test(name)) return fill(words.badName, { max: maxNameChars });
  return taken.includes(name) ? words.takenName : undefined;
}
