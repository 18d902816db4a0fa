// All lists of mistakes, by what they are about.
import { agentApprovalMutants } from "./agent-approvals.ts";
import { agentPolicyMutants } from "./agent-policy.ts";
import { approvalMutants } from "./approvals.ts";
import { borderMutants } from "./borders.ts";
import { bridgeMutants } from "./bridge.ts";
import { commandLineMutants } from "./command-line.ts";
import { compositorMutants } from "./compositor.ts";
import { conversationMutants } from "./conversations.ts";
import { dashboardMutants } from "./dashboard.ts";
import { embeddingsMutants } from "./embeddings.ts";
import { foundationMutants } from "./foundations.ts";
import { gatewayMutants } from "./gateway.ts";
import { gatewayPolicyMutants } from "./gateway-policy.ts";
import { toolServerMutants } from "./tool-servers.ts";
import { kubeMutants } from "./lib-kube.ts";
import { linkMutants } from "./links.ts";
import { managementMutants } from "./management.ts";
import { manifestMutants } from "./manifests.ts";
import { modelMutants } from "./model.ts";
import type { Mutant } from "./mutant.ts";
import { operatorMutants } from "./operator.ts";
import { planMutants } from "./plan.ts";
import { policyMutants } from "./policy.ts";
import { registryMutants } from "./registry.ts";
import { discoveryMutants } from "./discovery.ts";
import { searchMutants } from "./search.ts";
import { subscriptionMutants } from "./subscriptions.ts";
import { directoryMutants, restMutants } from "./served.ts";
import { testerMutants } from "./tester.ts";

export const mutantLists: Readonly<Record<string, readonly Mutant[]>> = {
  operator: operatorMutants,
  plan: planMutants,
  "lib/kube": kubeMutants,
  conversations: conversationMutants,
  links: linkMutants,
  borders: borderMutants,
  model: modelMutants,
  manifests: manifestMutants,
  registry: registryMutants,
  bridge: bridgeMutants,
  foundations: foundationMutants,
  "command line": commandLineMutants,
  search: searchMutants,
  policy: [...policyMutants, ...agentPolicyMutants],
  approvals: [...approvalMutants, ...agentApprovalMutants],
  subscriptions: subscriptionMutants,
  gateway: [
    ...gatewayMutants,
    ...gatewayPolicyMutants,
    ...compositorMutants,
    ...testerMutants,
    ...discoveryMutants,
    ...toolServerMutants,
    ...restMutants,
    ...directoryMutants,
    ...embeddingsMutants,
    ...managementMutants,
    ...dashboardMutants,
  ],
};

export const allMutants: readonly Mutant[] = Object.values(mutantLists).flat();
