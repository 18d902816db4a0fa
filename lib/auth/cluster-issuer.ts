// Who signs the tokens of a cluster's ServiceAccounts, and the public keys of that issuer, as the API server publishes them to
// every ServiceAccount. It asks once; who keeps what it read, and for how long, is its callers' affair.
import * as z from "zod";
import { keySetSchema } from "./discovery.ts";

const metadataPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";
/** The API server answers 406 where a client takes JSON alone. */
const accept = "application/jwk-set+json, application/json";
const timeoutMs = 5_000;

/** What is needed of a connection to the API server; lib/kube's Transport is one. */
export interface ApiServerReader {
  /** Resolves to the parsed JSON of a 2xx answer, rejects in all other cases. */
  request(call: { method: "GET"; path: string; accept: string; timeoutMs: number }): Promise<unknown>;
}

export interface ClusterIssuer {
  issuer: string;
  /** Public ones, as JSON Web Keys. */
  keys: z.output<typeof keySetSchema>["keys"];
}

const metadataSchema = z.looseObject({ issuer: z.string().min(1) });

/** Rejects where one of the two cannot be read, or is something else, naming its path. */
export async function readClusterIssuer(server: ApiServerReader): Promise<ClusterIssuer> {
  const get = (path: string) => server.request({ method: "GET", path, accept, timeoutMs });
  const [metadata, keys] = await Promise.all([get(metadataPath), get(keysPath)]);
  const { success, data } = metadataSchema.safeParse(metadata);
  if (!success) throw new Error(`${metadataPath} of the API server is not issuer metadata: expected "issuer"`);
  const set = keySetSchema.safeParse(keys);
  if (!set.success) throw new Error(`${keysPath} of the API server holds no JSON Web Key Set: expected a list "keys"`);
  return { issuer: data.issuer, keys: set.data.keys };
}
