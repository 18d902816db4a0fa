// `${NAME}` in the URLs and header values of a configuration, for local mode (CFG-6). Pure: the environment is handed in.
// What is unset is reported, never replaced by an empty string.
import { fillVariablePrefix } from "../../crds/references.ts";
import type { RunConfig, RunHeader, RunOauth } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";

const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** What placeholders stand for, by name: handed over under a prefix, so that no name can change the process itself (SEC-8). */
export const placeholderValues = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith(fillVariablePrefix) ? [[name.slice(fillVariablePrefix.length), value]] : [],
    ),
  );

export interface UnsetVariable {
  variable: string;
  /** Where it is referred to, as `header Authorization of server argos`. */
  place: string;
}

/**
 * The configuration with every set variable put in. A provider's baseUrl with an unset one is left out, so that the vendor's
 * own is used; a header with one is left out too, and so is the endpoint of telemetry; any other URL stays as written.
 */
export function renderExpanded(
  config: RunConfig,
  env: Readonly<Record<string, string | undefined>>,
): { config: RunConfig; unset: UnsetVariable[] } {
  const unset: UnsetVariable[] = [];
  const expand = (text: string, place: string): string | undefined => {
    let complete = true;
    const expanded = text.replaceAll(placeholder, (written, variable: string) => {
      const value = env[variable];
      if (value !== undefined && value !== "") return value;
      complete = false;
      unset.push({ variable, place });
      return written;
    });
    return complete ? expanded : undefined;
  };
  const expandHeaders = (headers: readonly RunHeader[], owner: string): RunHeader[] =>
    headers.flatMap((header): RunHeader[] => {
      if (!("value" in header)) return [header];
      const value = expand(header.value, `header ${header.name} of ${owner}`);
      return value === undefined ? [] : [{ ...header, value }];
    });

  /** Without one of its variables a client is sent as it is written, and refused by that name. */
  const expandOauth = (oauth: RunOauth | undefined, owner: string): { oauth?: RunOauth } => {
    if (oauth === undefined) return {};
    const expanded = { ...oauth };
    for (const field of ["tokenUrl", "clientId", "audience", "resource"] as const) {
      const written = oauth[field];
      if (written !== undefined) expanded[field] = expand(written, `${field} of ${owner}`) ?? written;
    }
    return { oauth: expanded };
  };

  const providers = config.providers.map(({ baseUrl, ...provider }) => {
    const owner = `provider ${provider.name}`;
    const url = baseUrl === undefined ? undefined : expand(baseUrl, `baseUrl of ${owner}`);
    const headers = expandHeaders(provider.headers, owner);
    const oauth = expandOauth(provider.oauth, owner);
    return { ...provider, headers, ...oauth, ...defined({ baseUrl: url }) };
  });
  const servers = config.servers.map((server) => {
    const owner = `server ${server.name}`;
    return {
      ...server,
      url: expand(server.url, `url of ${owner}`) ?? server.url,
      headers: expandHeaders(server.headers, owner),
      ...expandOauth(server.oauth, owner),
    };
  });
  const { telemetry, ...rest } = config;
  const otlpEndpoint = telemetry && expand(telemetry.otlpEndpoint, "telemetry.otlpEndpoint");
  const expanded = {
    ...rest,
    providers,
    servers,
    ...(otlpEndpoint === undefined ? {} : { telemetry: { otlpEndpoint } }),
  };
  return { config: expanded, unset };
}
