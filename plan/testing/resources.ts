// Resources for the tests of plan/, made by the same parsing as a user's; a faulty one is an error of the test; and the limits of an operator.
import * as z from "zod";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { apiVersion } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import { neighbourhood } from "../check.ts";
import { formatProblem, type Outcome } from "../validation-error.ts";
import { limitsOf, limitVariables } from "../limit-variables.ts";
import { parseAgent, parseInstance, parseServer } from "../parse.ts";
import type { Neighbourhood } from "../resolve.ts";
import type { PeerUrls } from "../urls.ts";

function sound<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`a sample is faulty: ${outcome.problems.map(formatProblem).join("; ")}`);
  return outcome.value;
}

/** A manifest as a user writes it, nothing filled in. */
export const agentManifestOf = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion,
  kind: "PallasAgent",
  metadata: { name, ...metadata },
  spec: { instanceRef: { name: "ouranos" }, ...spec },
});

export const instanceManifestOf = (spec: object = {}, metadata: object = {}) => ({
  apiVersion,
  kind: "PallasInstance",
  metadata: { name: "ouranos", ...metadata },
  spec: { registryNamespace: "ca.helu.ouranos", defaultModel: "passthrough", ...spec },
});

export const serverManifestOf = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion,
  kind: "PallasServer",
  metadata: { name, ...metadata },
  spec: { instanceRef: { name: "ouranos" }, ...spec },
});

export const sampleServer = (name: string, spec: object = {}, metadata: object = {}): PallasServer =>
  sound(parseServer(serverManifestOf(name, spec, metadata)));

export const sampleAgent = (name: string, spec: object = {}, metadata: object = {}): PallasAgent =>
  sound(parseAgent(agentManifestOf(name, spec, metadata)));

export const sampleInstance = (spec: object = {}, metadata: object = {}): PallasInstance =>
  sound(parseInstance(instanceManifestOf(spec, metadata)));

export const byName = (...agents: PallasAgent[]): Map<string, PallasAgent> =>
  new Map(agents.map((agent) => [agent.metadata.name, agent]));

export const sampleNeighbourhood = (instance: PallasInstance, ...agents: PallasAgent[]): Neighbourhood =>
  neighbourhood(instance, agents);

/** Where nobody asks where anything is. */
export const sampleUrls: PeerUrls = {
  agent: String,
  server: String,
  registry: () => "registry",
  gateway: () => "gateway",
};

/** Those of an operator that is told nothing. */
export const defaultLimits = limitsOf(z.object(limitVariables).parse({}));
