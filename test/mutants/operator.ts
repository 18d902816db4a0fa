// Mistakes in operator/: what is written, in which order, and what a status then says.
import type { Mutant } from "./mutant.ts";

export const operatorMutants: readonly Mutant[] = [
  {
    file: "operator/summary.ts",
    find: `if (failure) conditions.set("Ready", "False", failure.reason, failure.message);
  else if (failing)`,
    replace: `if (failing)`,
    breaks: "a spec that the API server refused is reported Ready",
  },
  {
    file: "operator/summary.ts",
    find: `return failure === undefined || obstacle !== undefined;`,
    replace: `return true;`,
    breaks: "a generation that was refused counts as handled",
  },
  {
    file: "operator/summary.ts",
    find: `return failure === undefined || obstacle !== undefined;`,
    replace: `return failure === undefined;`,
    breaks: "a name conflict never shows as Failed",
  },
  {
    file: "operator/summary.ts",
    find: `if (failure) return { reason: failure.reason, message: \`tried again: \${failure.message}\` };`,
    replace: ``,
    breaks: "nothing says that a refused write is tried again",
  },
  {
    file: "operator/summary.ts",
    find: `  "AgentNotFound",\n`,
    replace: "",
    breaks: "an agent applied a moment before the one it names fails the whole apply",
  },
  {
    file: "operator/summary.ts",
    find: `return rollout?.gaveUp === true ? rollout.message : undefined;`,
    replace: `return undefined;`,
    breaks: "a rollout that gave up is waited for for ever",
  },
  {
    file: "operator/summary.ts",
    find: `  "DependencyNotReady",
  "Progressing",`,
    replace: `  "Progressing",`,
    breaks: "an agent whose dependency restarts is reported as failed",
  },
  {
    file: "operator/failure.ts",
    find: `failures >= lastingFailures`,
    replace: `failures > lastingFailures`,
    breaks: "a lasting 500 is said one try too late",
  },
  {
    file: "operator/failure.ts",
    find: `error.status !== 429`,
    replace: `true`,
    breaks: "one 429 makes an agent not Ready",
  },
  {
    file: "operator/failure.ts",
    find: `error.status >= 400 && error.status < 500`,
    replace: `error.status > 400 && error.status < 500`,
    breaks: "a 400 leaves no trace on the resource",
  },
  {
    file: "operator/spec-changed.ts",
    find: `hashOf({ ...spec, replicas: undefined })`,
    replace: `hashOf(spec)`,
    breaks: "every autoscaling step changes the catalogue",
  },
  {
    file: "operator/spec-changed.ts",
    find: `specDigest === undefined ? observedGeneration !== generation : specDigest !== digest`,
    replace: `observedGeneration !== generation`,
    breaks: "an edit that is refused moves updatedAt at every try",
  },
  {
    file: "operator/agent/reconcile.ts",
    find: `if (!live || live.metadata.deletionTimestamp !== undefined) return {};`,
    replace: `if (!live) return {};`,
    breaks: "children of an agent that is being deleted are made again",
  },
  {
    file: "operator/agent/reconcile.ts",
    find: `if (failure) throw failure.error;`,
    replace: ``,
    breaks: "a refused write is never tried again",
  },
  {
    file: "operator/agent/reconcile.ts",
    find: `{ requeueAfterMs: heldRetryMs }`,
    replace: `{}`,
    breaks: "an agent that is held back and not woken keeps the old image for ever",
  },
  {
    file: "operator/agent/reconcile.ts",
    find: `handled ? generation : (live.status?.observedGeneration ?? neverObserved)`,
    replace: `generation`,
    breaks: "an agent whose write failed looks handled to kubectl wait and Flux",
  },
  {
    file: "operator/agent/apply.ts",
    find: `  await applyWanted(children, rendered, writing);
  const refused = await applyHistoryClaim(run, rendered.historyClaim);
  await children.apply("service", rendered.service, writing);
  const applied = await applyDeployment(run, accepted, rendered.deployment, mayStart);`,
    replace: `  const refused = await applyHistoryClaim(run, rendered.historyClaim);
  await children.apply("service", rendered.service, writing);
  const applied = await applyDeployment(run, accepted, rendered.deployment, mayStart);
  await applyWanted(children, rendered, writing);`,
    breaks: "pods run before the policy that fences them in",
  },
  {
    file: "operator/agent/apply.ts",
    find: `  const applied = await applyDeployment(run, accepted, rendered.deployment, mayStart);
  await removeUnwanted(children, rendered, agentChildren(accepted.agent.metadata.name), writing);`,
    replace: `  await removeUnwanted(children, rendered, agentChildren(accepted.agent.metadata.name), writing);
  const applied = await applyDeployment(run, accepted, rendered.deployment, mayStart);`,
    breaks: "a removal that fails holds up a new configuration",
  },
  {
    file: "operator/agent/apply.ts",
    find: `if (refused) throw refused;`,
    replace: ``,
    breaks: "a refused claim is not reported",
  },
  {
    file: "operator/agent/apply.ts",
    find: `if (!mayStart && !owned && !children.find`,
    replace: `if (!mayStart && !children.find`,
    breaks: "nothing: who owns a Deployment has one of that name",
    equivalent: "an owned Deployment is found by its name too; the first look is the cheaper one",
  },
  {
    file: "operator/agent/apply.ts",
    find: `if (!mayStart && !owned`,
    replace: `if (!owned`,
    breaks: "an agent that depends on no other is never started",
  },
  {
    file: "operator/agent/dependencies.ts",
    find: `return !dependency || !isReady(dependency);`,
    replace: `return dependency !== undefined && !isReady(dependency);`,
    breaks: "an agent starts before one that is not there yet",
    equivalent: "one that is not there is reported by the step before, from the same cache",
  },
  {
    file: "operator/agent/dependencies.ts",
    find: `    return wereReady;`,
    replace: `    return false;`,
    breaks: "a deleted Deployment does not come back while a dependency is down",
  },
  {
    file: "operator/agent/history-claim.ts",
    find: `parseQuantity(there) <= parseQuantity(wanted)`,
    replace: `true`,
    breaks: "a claim is asked to shrink, which the API server refuses",
  },
  {
    file: "operator/agent/history-claim.ts",
    find: `    if (!live) return error;`,
    replace: ``,
    breaks: "a claim that a quota refused is tried again after ten minutes only",
  },
  {
    file: "operator/run-configs.ts",
    find: `.slice(revisionHistoryLimit)`,
    replace: `.slice(revisionHistoryLimit - 1)`,
    breaks: "the oldest ReplicaSet cannot be rolled back to",
  },
  {
    file: "operator/run-configs.ts",
    find: `name !== wanted && !mounted.has(name)`,
    replace: `name !== wanted`,
    breaks: "a run-config that pods mount is deleted",
  },
  {
    file: "operator/run-configs.ts",
    find: `if (!mounted || observeRollout(deployment).moving) return;`,
    replace: `if (!mounted) return;`,
    breaks: "old pods lose their run-config in the middle of a rollout",
  },
  {
    file: "operator/run-configs.ts",
    find: `.slice(-maxCollected)`,
    replace: ``,
    breaks: "a backlog of run-configs is deleted all at once",
  },
  {
    file: "operator/children.ts",
    find: `if (!found || found.metadata.deletionTimestamp !== undefined) return;`,
    replace: `if (!found) return;`,
    breaks: "what is being deleted is deleted again at every look",
  },
  {
    file: "operator/children.ts",
    find: `controller?.kind !== owner.kind || controller.name !== owner.metadata.name`,
    replace: `controller?.kind !== owner.kind`,
    breaks: "a Service of another agent is waited for as if it were about to go",
  },
  {
    file: "operator/children.ts",
    find: `beforeWrite: (action) => guard.confirm(writing, action),`,
    replace: ``,
    breaks: "children are made for an agent that was deleted meanwhile",
  },
  {
    file: "operator/sometimes.ts",
    find: `if (outcome.status === "rejected") throw outcome.reason;`,
    replace: `;`,
    breaks: "a child that could not be removed is not reported",
  },
  {
    file: "operator/instance/reconcile.ts",
    find: `  await children.apply("role", rendered.role, writing);
  await children.apply("roleBinding", rendered.roleBinding, writing);`,
    replace: `  await children.apply("roleBinding", rendered.roleBinding, writing);
  await children.apply("role", rendered.role, writing);`,
    breaks: "a registry is bound to a Role that is not there yet",
  },
  {
    file: "operator/instance/reconcile.ts",
    find: `  await removeUnwanted(children, rendered, { networkPolicy: name, podDisruptionBudget: name }, writing);`,
    replace: ``,
    breaks: "the budget of a registry that was scaled down holds up drains for ever",
  },
  {
    file: "operator/instance/reconcile.ts",
    find: `handled ? generation : (live.status?.observedGeneration ?? neverObserved)`,
    replace: `generation`,
    breaks: "an instance whose write failed looks handled",
  },
  {
    file: "operator/status.ts",
    find: ` || status === "Unknown") continue;`,
    replace: `) continue;`,
    breaks: "an Event warns of every condition that was not looked at",
  },
  {
    file: "operator/conditions.ts",
    find: `before?.status === status ? before.lastTransitionTime : this.time`,
    replace: `this.time`,
    breaks: "every reconcile writes a status anew",
  },
  {
    file: "operator/rollouts/budget.ts",
    find: `this.#failed.size >= this.#options.maxRollouts`,
    replace: `this.#failed.size > this.#options.maxRollouts`,
    breaks: "a broken release that is stopped raises no alert",
  },
  {
    file: "operator/rollouts/budget.ts",
    find: `return new Set([...this.#moving, ...this.#failed, ...this.#granted.keys()]);`,
    replace: `return new Set([...this.#moving, ...this.#granted.keys()]);`,
    breaks: "a broken image goes through the whole fleet",
  },
  {
    file: "operator/rollouts/budget.ts",
    find: `observed.state === "gaveUp" && observed.previousImage !== undefined`,
    replace: `observed.state === "gaveUp"`,
    breaks: "agents that never ran block every release",
  },
  {
    file: "operator/rollouts/budget.ts",
    find: `this.#granted.has(deployment) || this.#free() > 0`,
    replace: `this.#granted.has(deployment) || this.#free() >= 0`,
    breaks: "one agent more than allowed moves at once",
  },
  {
    file: "operator/rollouts/pace-image.ts",
    find: `edited || (!isPaused && budget.take(key))`,
    replace: `edited || budget.take(key)`,
    breaks: "a paused Deployment holds a place",
  },
  {
    file: "operator/rollouts/pace-image.ts",
    find: `!onlyImage && (seen === undefined ? !specHandled : seen !== hash)`,
    replace: `false`,
    breaks: "an edit by a user waits for the rollout of a release",
  },
  {
    file: "operator/rollout.ts",
    find: `availableReplicas > 0, reason: gaveUp`,
    replace: `false, reason: gaveUp`,
    breaks: "an agent with one of two pods counts as down",
  },
  {
    file: "operator/render/authored-pod.ts",
    find: `labels: { ...authored(pod.labels), ...labels },`,
    replace: `labels: { ...labels, ...authored(pod.labels) },`,
    breaks: "an author takes an agent's pods out of its Service and its policy",
  },
  {
    file: "operator/render/agent-deployment.ts",
    find: `automountServiceAccountToken: false,`,
    replace: `automountServiceAccountToken: true,`,
    breaks: "every agent holds a token of the API server",
  },
  {
    file: "operator/render/disruption-budget.ts",
    find: `agent.spec.replicas > 1`,
    replace: `agent.spec.replicas >= 1`,
    breaks: "a single pod holds up every drain of a node",
  },
  {
    file: "operator/neighbours.ts",
    find: `if (before && (!after || instanceOf(after) !== instanceOf(before))) remove(before);`,
    replace: `if (before && !after) remove(before);`,
    breaks: "an agent that moved to another instance can still be named in the old one",
  },
  {
    file: "operator/render/gateway-children.ts",
    find: `if (management === "approve") return rules;`,
    replace: `if (management !== "approve" && rules.length === 0) return rules;`,
    breaks: "a gateway that only decides may write and delete every agent of its namespace",
  },
  {
    file: "operator/render/network-policy.ts",
    find: `instance.spec.gateway === undefined ? [] :`,
    replace: `instance.spec.gateway !== undefined ? [] :`,
    breaks: "a gateway reaches none of its agents, and without one their policies change",
  },
  {
    file: "operator/remove-program.ts",
    find: `const configs = children.listOwned("configMap", writing.owner);`,
    replace: `const configs = children.listOwned("configMap", writing.owner).slice(1);`,
    breaks: "what a gateway ran on stays when it is gone",
  },
  {
    file: "operator/remove-program.ts",
    find: `const attempt = (removal: Promise<void>) => removal.catch((error: unknown) => void failures.push(error));`,
    replace: `const attempt = (removal: Promise<void>) => removal.catch(() => undefined);`,
    breaks: "a part of a gateway that could not be removed is never spoken of, nor tried again",
  },
  {
    file: "operator/instance/reconcile.ts",
    find: `else conditions.drop("GatewayAvailable");`,
    replace: `else conditions.keep("GatewayAvailable");`,
    breaks: "an instance says for ever that a gateway serves which is gone",
  },
  {
    file: "operator/instance/reconcile.ts",
    find: `failure: registry.failure ?? gateway.failure,`,
    replace: `failure: registry.failure,`,
    breaks: "an instance counts as carried out whose gateway could not be written",
  },
  {
    file: "operator/render/server-network-policy.ts",
    find: "...(calling.length === 0 ? [] : [{ from: calling, ports: [tcp(ports.bridge)] }]),",
    replace: "{ from: calling, ports: [tcp(ports.bridge)] },",
    breaks: "a tool server that nobody names lets in everybody",
  },
  {
    file: "operator/server/reconcile.ts",
    find: "const callers = naming.map(({ metadata }) => metadata.name);",
    replace: "const callers: string[] = [];",
    breaks: "agents are kept out of the tool servers that they name",
  },
];
