// What is wrong with spec.gateway beyond its schema: who is named by what nobody can have, and an agent that has the
// gateway's own name. And what is sound and probably not meant: a gateway that lets nobody in, entries that never hold.
import type { PallasAgent } from "../crds/agent.ts";
import type { GatewayAccess } from "../crds/gateway.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { gatewayName } from "../crds/names.ts";
import type { Mode } from "./rules.ts";
import type { ValidationError } from "./validation-error.ts";

type Gateway = NonNullable<PallasInstance["spec"]["gateway"]>;

const path = "spec.gateway.access";

/** URLs that it asks, by where they stand. */
export const gatewayUrls = ({ spec: { gateway } }: PallasInstance): [string, string | undefined][] => [
  ...(gateway?.browse?.sources ?? []).map(({ url }, at): [string, string] => [
    `spec.gateway.browse.sources[${at}].url`,
    url,
  ]),
  ["spec.gateway.embeddings.baseUrl", gateway?.embeddings?.baseUrl],
];

const credentialProblems = (instance: PallasInstance): ValidationError[] =>
  gatewayUrls(instance).flatMap(([path, url = ""]): ValidationError[] => {
    const { username, password } = URL.parse(url) ?? {};
    if (!username && !password) return [];
    const message = "has a user or password, which anyone who may read the PallasInstance can read; remove it";
    return [{ reason: "InvalidField", path, message }];
  });

/** Problems of an instance's gateway, apart from keys, amounts and where its URLs lead. */
export const gatewayProblems = (instance: PallasInstance): ValidationError[] => [
  ...claimProblems(instance),
  ...signInProblems(instance),
  ...credentialProblems(instance),
];

function claimProblems({ spec }: PallasInstance): ValidationError[] {
  if (spec.auth?.jwt !== undefined) return [];
  return (spec.gateway?.access ?? []).flatMap(({ claim }, at): ValidationError[] => {
    if (claim === undefined) return [];
    const message = `"${claim.name}" would be a claim of tokens whose issuer is spec.auth.jwt, which is not set; set it, or name a serviceAccount or tokenFrom here`;
    return [{ reason: "InvalidField", path: `${path}[${at}].claim`, message }];
  });
}

function signInProblems({ spec }: PallasInstance): ValidationError[] {
  if (spec.auth?.jwt !== undefined || spec.gateway?.ui?.oidc === undefined) return [];
  const message =
    "would have people sign in with the issuer of spec.auth.jwt, which is not set; set it, or remove oidc, and people sign in with a token";
  return [{ reason: "InvalidField", path: "spec.gateway.ui.oidc", message }];
}

/** Its Service, Deployment and policies would be those of the gateway (OPR-5). */
export function gatewayNameProblems({ metadata }: PallasAgent, instance: PallasInstance): ValidationError[] {
  const name = gatewayName(instance.metadata.name);
  if (instance.spec.gateway === undefined || metadata.name !== name) return [];
  const message = `"${name}" is the name of the gateway that instance "${instance.metadata.name}" has; give the agent another name`;
  return [{ reason: "DuplicateName", path: "metadata.name", message }];
}

/** Whom an entry means, as one text. */
const whoOf = ({ serviceAccount, claim, tokenFrom }: GatewayAccess): string =>
  JSON.stringify([serviceAccount?.name, claim?.name, claim?.value, tokenFrom?.secretKeyRef]);

export function adviseGateway({ spec: { gateway } }: PallasInstance, mode: Mode): { path: string; message: string }[] {
  if (gateway === undefined) return [];
  const { access = [] } = gateway;
  if (access.length === 0) {
    // Who started a run is let in by its token.
    if (mode === "local") return [];
    const message = "is empty, so that the gateway lets nobody in but agents; name who may use it, and in which role";
    return [{ path, message }];
  }
  return [...adviseSignIn(gateway), ...adviseOrder(access)];
}

function adviseSignIn({ ui, access = [] }: Gateway): { path: string; message: string }[] {
  if (ui?.oidc === undefined || access.some(({ claim }) => claim !== undefined)) return [];
  const message =
    "lets people sign in who have no role then, since no entry of spec.gateway.access names a claim; add one";
  return [{ path: "spec.gateway.ui.oidc", message }];
}

function adviseOrder(access: readonly GatewayAccess[]): { path: string; message: string }[] {
  const firsts = new Map<string, number>();
  return access.flatMap((entry, at) => {
    const first = firsts.get(whoOf(entry));
    firsts.set(whoOf(entry), first ?? at);
    if (first === undefined) return [];
    const message = `never holds, since entry ${first} means the same caller and comes first; remove one of them`;
    return [{ path: `${path}[${at}]`, message }];
  });
}
