// One shape for all that the directory lists: what somebody registered, the agents of the instance and its servers. Each is derived from
// its resource once, for as long as that resource stays as it is. Whether an endpoint is alive is not in it.
import { createHash } from "node:crypto";
import type { PallasAgent } from "../../crds/agent.ts";
import type { Condition } from "../../crds/definition.ts";
import type { PallasRegistration } from "../../crds/registration.ts";
import type { PallasServer } from "../../crds/server.ts";
import { defined } from "../../lib/process/defined.ts";
import { readCard, renderCard, type Capability } from "./card.ts";
import type { RegisteredEndpoint } from "./liveness.ts";
import { createSplicedCard, type SplicedCard } from "./spliced-card.ts";

/** Of pods of ours: alive by their readiness, never by a heartbeat (DIR-2). */
interface OwnEndpoint extends Omit<RegisteredEndpoint, "livenessModel"> {
  readonly livenessModel: "Readiness";
  readonly isReady: boolean;
}

export type DirectoryEndpoint = (RegisteredEndpoint | OwnEndpoint) & {
  /** Names it among the endpoints of all entries. */
  readonly key: string;
};

export interface DirectoryEntry {
  readonly id: string;
  readonly kind: "registration" | "agent" | "server";
  readonly name: string;
  readonly description?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly capabilities: readonly Capability[];
  readonly endpoints: readonly DirectoryEndpoint[];
  /** What filters compare. */
  readonly words: { readonly names: ReadonlySet<string>; readonly tags: ReadonlySet<string> };
  /** Where it speaks MCP over Streamable HTTP. */
  readonly card?: SplicedCard;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** Of what somebody registered. */
  readonly registration?: PallasRegistration;
}

/** Looks like a UUID, as clients of directories expect. */
function renderId(kind: DirectoryEntry["kind"], name: string): string {
  const hex = createHash("sha256").update(`${kind}/${name}`).digest("hex");
  // Version 8: of a form of our own.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

export const registrationId = ({ metadata }: Pick<PallasRegistration, "metadata">): string =>
  renderId("registration", metadata.name);

export const isMcpEndpoint = ({ protocol, transport }: Pick<RegisteredEndpoint, "protocol" | "transport">): boolean =>
  protocol === "MCP" && transport === "Http";

const wordsOf = (capabilities: readonly Capability[]): DirectoryEntry["words"] => ({
  names: new Set(capabilities.map(({ name }) => name)),
  tags: new Set(capabilities.flatMap(({ tags }) => tags ?? [])),
});

/** Throws where the card of a registration is not one, as when somebody wrote the resource by hand. */
export function renderRegistration(registration: PallasRegistration): DirectoryEntry {
  const { metadata, spec } = registration;
  const card = spec.card === undefined ? undefined : readCard(spec.card);
  const capabilities = card?.capabilities ?? spec.capabilities ?? [];
  const description = spec.description ?? card?.description;
  const endpoints = (spec.endpoints ?? []).map((each) => ({ ...each, key: `${metadata.name}/${each.id}` }));
  const address = endpoints.find(isMcpEndpoint)?.address;
  const source = { name: spec.name, capabilities, ...defined({ description }) };
  return {
    ...source,
    id: registrationId(registration),
    kind: "registration",
    labels: spec.labels ?? {},
    endpoints,
    words: wordsOf(capabilities),
    ...(address !== undefined && { card: createSplicedCard(spec.card ?? renderCard({ ...source, address })) }),
    registration,
    ...defined({ createdAt: spec.registeredAt, updatedAt: spec.updatedAt }),
  };
}

const isReady = (status: { conditions?: readonly Condition[] } | undefined): boolean =>
  status?.conditions?.some(({ type, status: holds }) => type === "Ready" && holds === "True") === true;

interface Own {
  kind: "agent" | "server";
  name: string;
  title: string | undefined;
  description: string | undefined;
  version?: string | undefined;
  address: string | undefined;
  isReady: boolean;
  capabilities: readonly Capability[];
  createdAt: string | undefined;
}

function renderOwn({
  kind,
  name,
  title,
  description,
  version,
  address,
  capabilities,
  createdAt,
  ...own
}: Own): DirectoryEntry {
  const id = renderId(kind, name);
  const endpoint = (at: string): DirectoryEndpoint => ({
    id,
    key: `${kind}/${name}`,
    name: "streamable-http",
    transport: "Http",
    protocol: "MCP",
    address: at,
    livenessModel: "Readiness",
    isReady: own.isReady,
  });
  const source = { name, capabilities, ...defined({ title, description, version }) };
  return {
    id,
    kind,
    name,
    labels: {},
    capabilities,
    endpoints: address === undefined ? [] : [endpoint(address)],
    words: wordsOf(capabilities),
    ...(address !== undefined && { card: createSplicedCard(renderCard({ ...source, address })) }),
    ...defined({ description, createdAt, updatedAt: createdAt }),
  };
}

/** @param version of the program that its pods run */
export function renderAgent({ metadata, spec, status }: PallasAgent, version: string): DirectoryEntry {
  const { description, title } = spec;
  const sendMessage = { name: "send_message", tags: ["tool", "mcp", "agent"], ...defined({ description }) };
  return renderOwn({
    ...{ kind: "agent", name: metadata.name, title, description, version, address: status?.url },
    isReady: isReady(status),
    capabilities: [sendMessage],
    createdAt: metadata.creationTimestamp ?? undefined,
  });
}

/** @param address undefined while it has none */
export function renderServer({ metadata, spec, status }: PallasServer, address: string | undefined): DirectoryEntry {
  const { description, title, tags = [] } = spec;
  const tools = { name: "tools", description: "Exposes callable tools", tags: [...new Set(["tool", "mcp", ...tags])] };
  return renderOwn({
    ...{ kind: "server", name: spec.serverName ?? metadata.name, title, description, address },
    isReady: isReady(status),
    capabilities: [tools],
    createdAt: metadata.creationTimestamp ?? undefined,
  });
}
