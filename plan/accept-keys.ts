// Keys of Secrets and ConfigMaps become file names in the pod: "." and ".." would name folders (SEC-2). Neither kind of
// object can have such a key, so nothing that works is refused.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { Fault } from "./fault.ts";

const keyFault = (path: string, key: string | undefined): Fault[] =>
  key === undefined || !/^\.\.?$/.test(key)
    ? []
    : [{ reason: "InvalidField", path, message: `expected the key of a file, found "${key}"; correct it` }];

type Server = NonNullable<PallasInstance["spec"]["servers"]>[number];
type Headers = NonNullable<Server["headers"]>;
type Auth = NonNullable<Server["auth"]>;

const headerFaults = (path: string, headers: Headers = []): Fault[] =>
  headers.flatMap(({ valueFrom }, at) =>
    keyFault(`${path}.headers[${at}].valueFrom.secretKeyRef.key`, valueFrom?.secretKeyRef.key),
  );

const authFaults = (path: string, auth: Auth | undefined): Fault[] =>
  keyFault(`${path}.auth.oauth.clientSecret.secretKeyRef.key`, auth?.oauth.clientSecret.secretKeyRef.key);

export const instanceKeyFaults = ({ spec }: PallasInstance): Fault[] => [
  ...(spec.providers ?? []).flatMap(({ apiKey, auth, headers }, at) => [
    ...keyFault(`spec.providers[${at}].apiKey.secretKeyRef.key`, apiKey?.secretKeyRef.key),
    ...authFaults(`spec.providers[${at}]`, auth),
    ...headerFaults(`spec.providers[${at}]`, headers),
  ]),
  ...(spec.servers ?? []).flatMap(({ auth, headers }, at) => [
    ...authFaults(`spec.servers[${at}]`, auth),
    ...headerFaults(`spec.servers[${at}]`, headers),
  ]),
  ...keyFault("spec.caBundle.configMapKeyRef.key", spec.caBundle?.configMapKeyRef.key),
];

export const agentKeyFaults = ({ spec }: PallasAgent): Fault[] =>
  keyFault("spec.instructionFrom.configMapKeyRef.key", spec.instructionFrom?.configMapKeyRef.key);
