// Which registry npm uses, and what shows it who asks, from its configuration: variables, and the .npmrc files of the project, the user and
// the machine (npm's own order). Pure; the files are read elsewhere.
import type { SourceAddress } from "./source-client.ts";

const npmDefaultRegistry = "https://registry.npmjs.org/";

export interface NpmSettings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Text of the project's .npmrc. A folder may be a stranger's: it names a registry, and nothing that is shown to it. */
  readonly project: string;
  /** Texts of the user's and the machine's, the first one first. */
  readonly own: readonly string[];
}

const maxLines = 2_000;
/** A longer line is nobody's setting. */
export const maxLineChars = 4_096;
/** Each part of its path is looked for with all before it. */
const maxUrlChars = 2_048;

/** Keys and values of an .npmrc; the last one of a key holds. */
function parseNpmrc(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n", maxLines)) {
    const cut = line.length > maxLineChars ? -1 : line.indexOf("=");
    const key = line.slice(0, cut).trim();
    if (cut === -1 || key.startsWith("#") || key.startsWith(";")) continue;
    found.set(
      key,
      line
        .slice(cut + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1"),
    );
  }
  return found;
}

/** `${NAME}` as npm fills it in; undefined where one is not set. */
function fill(value: string, variables: NpmSettings["variables"]): string | undefined {
  let isWhole = true;
  const filled = value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const known = variables[name];
    isWhole &&= known !== undefined;
    return known ?? "";
  });
  return isWhole ? filled : undefined;
}

/** npm takes its variables in any case. */
function variableOf(variables: NpmSettings["variables"], name: string): string | undefined {
  const found = Object.entries(variables).find(([key, value]) => key.toLowerCase() === name && value);
  return found?.[1];
}

/** Undefined for a registry that is no http(s) URL. */
export function findNpmRegistry({ variables, project, own }: NpmSettings): SourceAddress | undefined {
  const files = own.map(parseNpmrc);
  const written = [parseNpmrc(project), ...files].map((each) => each.get("registry")).find((each) => each);
  const registry = variableOf(variables, "npm_config_registry") ?? written ?? npmDefaultRegistry;
  const address = addressOf(registry);
  if (address === undefined || address.authorization !== undefined) return address;
  const authorization = findCredentials(new URL(address.url), files, variables);
  return { ...address, ...(authorization !== undefined && { authorization }) };
}

/** A URL without its user and password, which become a header; undefined for none, and for one of more than 2,048 characters. */
export function addressOf(text: string): SourceAddress | undefined {
  if (text.length > maxUrlChars) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url: url.href };
  return { url: url.href, authorization: basic(`${decode(username)}:${decode(password)}`) };
}

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Keys are `//host/path/:_authToken`, those of the longest path that leads to the registry first. */
function findCredentials(
  url: URL,
  files: readonly ReadonlyMap<string, string>[],
  variables: NpmSettings["variables"],
): string | undefined {
  const parts = url.pathname.split("/").filter((part) => part !== "");
  for (let count = parts.length; count >= 0; count -= 1) {
    const scope = `//${url.host}/${parts.slice(0, count).map((part) => `${part}/`).join("")}`; // prettier-ignore
    for (const file of files) {
      const value = (key: string) => {
        const text = file.get(`${scope}:${key}`) ?? file.get(`${scope.slice(0, -1)}:${key}`);
        return text === undefined ? undefined : fill(text, variables);
      };
      const [token, pair, user, password] = ["_authToken", "_auth", "username", "_password"].map(value);
      const found =
        (token && `Bearer ${token}`) ||
        (pair && `Basic ${pair}`) ||
        (user && password && basic(`${user}:${Buffer.from(password, "base64").toString("utf8")}`));
      // What cannot stand in a header is no credential.
      if (found) return /^[ -~]+$/.test(found) ? found : undefined;
    }
  }
  return undefined;
}
