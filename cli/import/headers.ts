// The headers of a server or a provider, and the token that stands for one: what may be a key goes to the Secret.
import type { InstanceSpec } from "../../crds/instance.ts";
import { looksRandom } from "../../plan/secret-text.ts";
import type { MapReader, Placed } from "./map-reader.ts";
import { toVariableName } from "./names.ts";
import type { SecretKeys } from "./secret-keys.ts";

export type HeaderSpec = NonNullable<NonNullable<InstanceSpec["servers"]>[number]["headers"]>[number];

/** Headers that never carry a key; the value of any other one goes to a Secret. */
const plainHeaders = new Set(["accept", "accept-language", "content-type", "user-agent"]);

export function importHeaders(reader: MapReader, owner: string, secrets: SecretKeys, key = "headers"): HeaderSpec[] {
  const list = reader.map(key);
  const found = list.keys.map((name): [string, Placed<string> | undefined] => [name, list.secretText(name)]);
  const token = reader.secretText("access_token");
  if (token !== undefined && found.every(([name]) => name.toLowerCase() !== "authorization")) {
    const value = /^bearer /i.test(token.value) ? token.value : `Bearer ${token.value}`;
    found.push(["Authorization", { ...token, value }]);
  }
  return found.flatMap(([name, placed]): HeaderSpec[] => {
    if (placed === undefined) return [];
    if (!/^[-A-Za-z0-9_]{1,128}$/.test(name)) {
      const expected = "expected letters, digits, hyphens and underscores in its name";
      reader.notes.warn(placed.place, `this header is not carried over: ${expected}; correct it`);
      return [];
    }
    const { value, isSecret } = placed;
    const isPlain = plainHeaders.has(name.toLowerCase()) && /^[ -~]{0,200}$/.test(value) && !value.includes("${");
    if (isPlain && !isSecret && !value.split(/[^\w-]+/).some(looksRandom)) return [{ name, value }];
    const variable = toVariableName(owner, name);
    const valueFrom = secrets.referTo(placed, `${owner}.${name.toLowerCase()}`, variable, reader.notes);
    return [{ name, valueFrom }];
  });
}
