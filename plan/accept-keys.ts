// Keys of Secrets and ConfigMaps become file names in the pod: "." and ".." would name folders (SEC-2). Neither kind of
// object can have such a key, so nothing that works is refused.
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import type { ValidationError } from "./validation-error.ts";

const keyProblem = (path: string, key: string | undefined): ValidationError[] =>
  key === undefined || !/^\.\.?$/.test(key)
    ? []
    : [{ reason: "InvalidField", path, message: `expected the key of a file, found "${key}"; correct it` }];

type Server = NonNullable<PallasInstance["spec"]["servers"]>[number];
type Headers = NonNullable<Server["headers"]>;
type Auth = NonNullable<Server["auth"]>;

const headerProblems = (path: string, headers: Headers = []): ValidationError[] =>
  headers.flatMap(({ valueFrom }, at) =>
    keyProblem(`${path}.headers[${at}].valueFrom.secretKeyRef.key`, valueFrom?.secretKeyRef.key),
  );

const authProblems = (path: string, auth: Auth | undefined): ValidationError[] =>
  keyProblem(`${path}.auth.oauth.clientSecret.secretKeyRef.key`, auth?.oauth.clientSecret.secretKeyRef.key);

export const instanceKeyProblems = ({ spec }: PallasInstance): ValidationError[] => [
  ...(spec.providers ?? []).flatMap(({ apiKey, auth, headers }, at) => [
    ...keyProblem(`spec.providers[${at}].apiKey.secretKeyRef.key`, apiKey?.secretKeyRef.key),
    ...authProblems(`spec.providers[${at}]`, auth),
    ...headerProblems(`spec.providers[${at}]`, headers),
  ]),
  ...(spec.servers ?? []).flatMap(({ auth, headers }, at) => [
    ...authProblems(`spec.servers[${at}]`, auth),
    ...headerProblems(`spec.servers[${at}]`, headers),
  ]),
  ...(spec.gateway?.access ?? []).flatMap(({ tokenFrom }, at) =>
    keyProblem(`spec.gateway.access[${at}].tokenFrom.secretKeyRef.key`, tokenFrom?.secretKeyRef.key),
  ),
  ...keyProblem("spec.gateway.embeddings.apiKey.secretKeyRef.key", spec.gateway?.embeddings?.apiKey?.secretKeyRef.key),
  ...keyProblem("spec.caBundle.configMapKeyRef.key", spec.caBundle?.configMapKeyRef.key),
];

export const serverKeyProblems = ({ spec }: PallasServer): ValidationError[] => [
  ...headerProblems("spec.remote", spec.remote?.headers),
  ...(spec.env ?? []).flatMap(({ valueFrom }, at) =>
    keyProblem(`spec.env[${at}].valueFrom.secretKeyRef.key`, valueFrom?.secretKeyRef.key),
  ),
];

export const agentKeyProblems = ({ spec }: PallasAgent): ValidationError[] =>
  keyProblem("spec.instructionFrom.configMapKeyRef.key", spec.instructionFrom?.configMapKeyRef.key);
