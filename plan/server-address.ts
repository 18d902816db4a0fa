// How a tool server is reached by those that use it, and what it offers them: what an agent's configuration and a bridge's
// have in common. Pure.
import type { InstanceSpec } from "../crds/instance.ts";
import type { RunHeader } from "../crds/run-config.ts";
import type { ServerSpec } from "../crds/server.ts";
import { parseDurationMs } from "../crds/units.ts";
import type { ServerAddress } from "./resolved-server.ts";

type InlineServer = NonNullable<InstanceSpec["servers"]>[number];
type Headers = InlineServer["headers"];

const defaultToolTimeout = "60s";

/** Headers, or variables of a process: of the same form. */
export const renderValues = (values: Headers): RunHeader[] =>
  (values ?? []).map(({ name, value, valueFrom }) =>
    valueFrom === undefined ? { name, value: value ?? "" } : { name, secret: valueFrom.secretKeyRef },
  );

/** Whether a server of an instance's own spec is called with what only its agents hold (SEC-1): no gateway asks it. */
export const needsSecrets = ({ auth, headers = [] }: Pick<InlineServer, "auth" | "headers">): boolean =>
  auth !== undefined || headers.some(({ valueFrom }) => valueFrom !== undefined);

/** Of a tool server, or of one in an instance's own spec. */
export const toolTimeoutMs = ({ timeout = defaultToolTimeout }: Pick<ServerSpec, "timeout">): number =>
  parseDurationMs(timeout);

export const offeredTools = ({ tools: { allow = [], deny = [] } = {} }: ServerSpec) => ({ allow, deny });

/** Only one that is remote and has no secrets is called without a bridge: no other process holds what a server is given. */
export const isCalledDirectly = ({ remote }: ServerSpec): boolean =>
  remote !== undefined && (remote.headers ?? []).every(({ valueFrom }) => valueFrom === undefined);

export function addressOf(spec: ServerSpec, bridgeUrl: string): ServerAddress {
  const direct = isCalledDirectly(spec) ? spec.remote : undefined;
  return {
    url: direct?.url ?? bridgeUrl,
    headers: renderValues(direct?.headers),
    forwardInboundAuth: spec.remote?.forwardInboundAuth ?? false,
  };
}
