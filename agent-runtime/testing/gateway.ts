// A gateway as agents know it, for tests: the keys in their live configuration, and the tokens that it shows them.
import { agentsAudience } from "../../crds/names.ts";
import { clusterIssuer, createClusterIssuer, renderAccountClaims } from "../../lib/auth/testing/cluster-issuer.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { renderInitial, type ReadLiveConfig } from "../inputs/live-config.ts";
import { renderTestConfig } from "./run-config.ts";

const audience = agentsAudience("ouranos", "agents");
const subject = "system:serviceaccount:agents:ouranos-gateway";

export interface TestGateway {
  readLive: ReadLiveConfig;
  /** A token of its account, with claims changed. */
  sign(changes?: object): Promise<string>;
}

export async function createTestGateway(): Promise<TestGateway> {
  const issuer = await createClusterIssuer();
  const gateway = { issuer: clusterIssuer, audience, subject, keys: [{ kty: "", ...issuer.publicJwk() }] };
  return {
    readLive: async () => ({ ...renderInitial(renderTestConfig()), gateway }),
    sign: (changes = {}) =>
      issuer.sign(renderAccountClaims(systemClock, { sub: subject, aud: [audience], ...changes })),
  };
}
