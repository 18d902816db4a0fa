// Where the keys are fetched by which callers' tokens are checked (AGT-11): whoever can change them on their way lets in
// whom they like. So plain HTTP is for ways that stay inside the cluster or the machine.
import type { PallasInstance } from "../crds/instance.ts";
import { bareHost, covers } from "./addresses.ts";
import { destinationsOfUrl } from "./egress.ts";
import type { ValidationError } from "./validation-error.ts";

/** Loopback, or a name that only the cluster's own DNS answers. */
const staysInside = (url: URL, namespace: string): boolean =>
  covers("127.0.0.0/8", `${bareHost(url)}/32`) ||
  bareHost(url) === "::1" ||
  destinationsOfUrl(url.href, namespace).every(({ kind }) => kind === "namespace");

export function issuerProblems({ spec, metadata }: PallasInstance): ValidationError[] {
  const { issuer = "", jwksUrl = "" } = spec.auth?.jwt ?? {};
  // With a URL of their own the issuer is but a name, and never asked.
  const [field, text] = jwksUrl === "" ? (["issuer", issuer] as const) : (["jwksUrl", jwksUrl] as const);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" || staysInside(url, metadata.namespace)) return [];
  const message = `found "${text}": over plain HTTP anybody on the way could replace the keys by which tokens are checked; use https://, or a Service of the cluster by its name with .svc`;
  return [{ reason: "InvalidField", path: `spec.auth.jwt.${field}`, message }];
}
