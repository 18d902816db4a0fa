// The server.json of MCP registries as a listing: its packages that npx, uvx and docker run over stdio, and its remotes. What cannot be read
// is left out, entry by entry. Pure.
import type { BrowseSource } from "../../../crds/gateway-config.ts";
import { isJsonObject } from "../../../lib/mcp/json-rpc.ts";
import {
  lineOf,
  maxNameChars,
  maxVersionChars,
  repositoryOf,
  type Listing,
  type Offer,
  type Runtime,
  type Variable,
} from "./listing.ts";
import { memberOf } from "./source.ts";

const maxOffers = 16;
const maxVariables = 64;
const maxArgs = 64;
const maxValueChars = 4_096;
const maxUrlChars = 2_048;

/** `com.example.team/server`: no part of it is a folder's. */
const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9.-]*\/[a-zA-Z0-9_][a-zA-Z0-9._-]*$/;
export const isRegistryName = (name: unknown): name is string =>
  typeof name === "string" && name.length <= maxNameChars && namePattern.test(name);

const runtimes = new Map<unknown, Runtime>([
  ["npm", "node"],
  ["pypi", "python"],
  ["oci", "docker"],
]);
const transports = new Map<unknown, Runtime>([
  ["streamable-http", "streamable-http"],
  ["sse", "sse"],
]);

const isText = (value: unknown, maxChars: number): value is string =>
  typeof value === "string" && value !== "" && value.length <= maxChars && !/\p{Cc}/u.test(value);

const entriesOf = (value: unknown, max: number): Record<string, unknown>[] =>
  Array.isArray(value) ? value.slice(0, max).filter(isJsonObject) : [];

/** What stands in a text without `{…}` for users to fill in. */
function fixedValue(input: Record<string, unknown>): string | undefined {
  const value = input["value"] ?? input["default"];
  return isText(value, maxValueChars) && !/\{[^{}]*\}/.test(value) ? value : undefined;
}

function variablesOf(value: unknown, namePattern: RegExp): Variable[] {
  return entriesOf(value, maxVariables).flatMap((input): Variable[] => {
    const name = input["name"];
    if (typeof name !== "string" || !namePattern.test(name)) return [];
    const isSecret = input["isSecret"] === true;
    return [
      {
        name,
        description: lineOf(input["description"]),
        isRequired: input["isRequired"] === true,
        isSecret,
        // A secret that stands in a registry is everybody's.
        value: isSecret ? undefined : fixedValue(input),
      },
    ];
  });
}

/** Those with a value, and the hints of those that are needed and have none. */
function argumentsOf(value: unknown): Pick<Offer, "args" | "missingArgs"> {
  const args: string[] = [];
  const missingArgs: string[] = [];
  for (const input of entriesOf(value, maxArgs)) {
    const { type, isRequired, valueHint } = input;
    const name = isText(input["name"], 128) ? input["name"] : undefined;
    const fixed = fixedValue(input);
    const isFlag = type === "named" && name !== undefined;
    if (fixed !== undefined) args.push(...(isFlag ? [name, fixed] : [fixed]));
    else if (isFlag && input["value"] === undefined && input["format"] === "boolean") args.push(name);
    else if (isRequired === true) missingArgs.push(lineOf(name ?? valueHint, 128) || "an argument");
  }
  return { args, missingArgs };
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const headerName = /^[-A-Za-z0-9_]{1,128}$/;

function readPackage(entry: Record<string, unknown>): Offer[] {
  const runtime = runtimes.get(entry["registryType"]);
  const { identifier, version } = entry;
  const transport = memberOf(entry["transport"], "type");
  if (runtime === undefined || !isText(identifier, maxUrlChars)) return [];
  // Such a one would serve HTTP by itself, which nobody asks.
  if (transport !== undefined && transport !== "stdio") return [];
  return [
    {
      runtime,
      name: identifier,
      version: isText(version, maxVersionChars) && version !== "latest" ? version : undefined,
      ...argumentsOf(entry["packageArguments"]),
      env: variablesOf(entry["environmentVariables"], variableName),
      headers: [],
    },
  ];
}

function readRemote(entry: Record<string, unknown>): Offer[] {
  const runtime = transports.get(entry["type"]);
  const { url } = entry;
  if (runtime === undefined || !isText(url, maxUrlChars) || !/^https?:\/\//.test(url)) return [];
  const headers = variablesOf(entry["headers"], headerName);
  return [{ runtime, name: url, args: [], missingArgs: [], env: [], headers }];
}

/** Undefined for what is no server that can be named, or was withdrawn. */
export function readServerJson(
  source: Pick<BrowseSource, "name" | "kind">,
  server: unknown,
  meta: unknown,
): Listing | undefined {
  const [name, version] = [memberOf(server, "name"), memberOf(server, "version")];
  const status = memberOf(memberOf(meta, "io.modelcontextprotocol.registry/official"), "status");
  if (!isRegistryName(name) || !isText(version, maxVersionChars) || status === "deleted") return undefined;
  const title = lineOf(memberOf(server, "title"), 100);
  const packages = entriesOf(memberOf(server, "packages"), maxOffers).flatMap(readPackage);
  const remotes = entriesOf(memberOf(server, "remotes"), maxOffers).flatMap(readRemote);
  return {
    source,
    name,
    ...(title !== "" && { title }),
    version,
    description: lineOf(memberOf(server, "description")),
    repository: repositoryOf(memberOf(server, "repository")),
    tags: [],
    offers: [...packages, ...remotes],
  };
}
