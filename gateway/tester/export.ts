// How a server is written into the configuration of clients, each in its own shape: pure, and with no header's value in it, only where
// the client takes it from.
import type { PlainAddress } from "../state/servers.ts";

/** The formats of agent-discover, and those of clients whose shape is their own. */
export const exportFormats = [
  "mcp-json",
  "claude-code",
  "claude-desktop",
  "cursor",
  "windsurf",
  "vscode",
  "agent-discover",
] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface Exported {
  name: string;
  url: string;
  /** Names of the headers that it needs. */
  headers: readonly string[];
}

type JsonObject = Record<string, unknown>;

/** What a client takes the value of a header from. */
const variableOf = (header: string) => header.toUpperCase().replace(/[^A-Z0-9]+/g, "_");

export function renderExport({ name, url, headers }: Exported, format: ExportFormat): JsonObject {
  const withHeaders = (render: (header: string) => string): { headers?: JsonObject } =>
    headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((header) => [header, render(header)])) };
  const byVariable = withHeaders((header) => `\${${variableOf(header)}}`);
  const byEnvironment = withHeaders((header) => `\${env:${variableOf(header)}}`);
  switch (format) {
    case "mcp-json":
    case "claude-code":
      return { mcpServers: { [name]: { type: "http", url, ...byVariable } } };
    case "cursor":
      return { mcpServers: { [name]: { url, ...byEnvironment } } };
    case "windsurf":
      return { mcpServers: { [name]: { serverUrl: url, ...byEnvironment } } };
    case "claude-desktop":
      return { mcpServers: { [name]: renderDesktop(url, headers) } };
    case "vscode":
      return {
        servers: { [name]: { type: "http", url, ...withHeaders((header) => `\${input:${inputOf(name, header)}}`) } },
        ...(headers.length > 0 && { inputs: headers.map((header) => renderInput(name, header)) }),
      };
    case "agent-discover":
      return {
        servers: [
          { name, type: "http", url, ...withHeaders((header) => `$${variableOf(header)}`), auto_activate: true },
        ],
      };
  }
}

/** Its file takes programs only; mcp-remote is the one that carries stdio to a URL. */
function renderDesktop(url: string, headers: readonly string[]): JsonObject {
  const { protocol, hostname } = new URL(url);
  const isPlain = protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return {
    command: "npx",
    args: [
      "-y",
      "mcp-remote",
      url,
      "--transport",
      "http-only",
      ...(isPlain ? ["--allow-http"] : []),
      // Without a space, since some platforms split there.
      ...headers.flatMap((header) => ["--header", `${header}:\${${variableOf(header)}}`]),
    ],
    ...(headers.length > 0 && { env: Object.fromEntries(headers.map((header) => [variableOf(header), ""])) }),
  };
}

const inputOf = (name: string, header: string) => `${name}-${header}`.toLowerCase();
const renderInput = (name: string, header: string) => ({
  type: "promptString",
  id: inputOf(name, header),
  description: `${header} of ${name}`,
  password: true,
});

/** Headers by name alone; a URL without what could be a secret in it: user, password, query and fragment. */
export function toExported(
  name: string,
  address: Pick<PlainAddress, "url" | "headers" | "forwardInboundAuth">,
): Exported {
  const url = new URL(address.url);
  const names = address.headers.map((header) => header.name);
  const forwarded = address.forwardInboundAuth && !names.some((each) => each.toLowerCase() === "authorization");
  return {
    name,
    url: `${url.origin}${url.pathname}`,
    headers: [...names, ...(forwarded ? ["Authorization"] : [])],
  };
}
