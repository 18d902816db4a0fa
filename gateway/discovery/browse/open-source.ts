// Which kind of place to browse is read by which file.
import type { BrowseSource } from "../../../crds/gateway-config.ts";
import type { OpenFetch } from "../../../lib/mcp/safe-fetch.ts";
import { createMcpRegistrySource } from "./mcp-registry-source.ts";
import { createNpmSource } from "./npm-source.ts";
import { createPypiSource } from "./pypi-source.ts";
import type { ReadSource, Source } from "./source.ts";
import { createSourceClient, type SourceAddress } from "./source-client.ts";

const readers: Readonly<Record<BrowseSource["kind"], ReadSource>> = {
  "mcp-registry": createMcpRegistrySource,
  npm: createNpmSource,
  pypi: createPypiSource,
};

/** A place with what shows it who asks; the configuration of a cluster has nothing of the kind. */
export interface ConfiguredSource extends Pick<BrowseSource, "name" | "kind">, SourceAddress {}

export function openSource(configured: ConfiguredSource, openFetch?: OpenFetch): Source {
  const { name, kind } = configured;
  const client = createSourceClient(configured, openFetch);
  return { ...readers[kind]({ name, kind }, client), close: () => client.close() };
}
