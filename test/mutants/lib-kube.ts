// Mistakes in the kernel that talks to the API server: here what is believed of a cache, and when it is worked on; what
// is sent is in lib-kube-calls.ts.
import { callMutants } from "./lib-kube-calls.ts";
import type { Mutant } from "./mutant.ts";

const believing: readonly Mutant[] = [
  {
    file: "lib/kube/judged-objects.ts",
    find: "return judgement?.kept === live ? judgement.desired : undefined;",
    replace: "return judgement?.desired;",
    breaks: "what is edited by hand is never undone once the object was found to be right",
  },
  {
    file: "lib/kube/judged-objects.ts",
    find: "if (judgement === undefined || digestOf(object) !== judgement.content) return object;",
    replace: "if (judgement === undefined) return object;",
    breaks: "an edited object is thrown away by the cache and counts as right",
  },
  {
    file: "lib/kube/judged-objects.ts",
    find: 'if (change.type === "deleted") this.#byUid.delete(change.previous.metadata.uid);',
    replace: 'if (change.type === "deleted") this.#byUid.get(change.previous.metadata.uid);',
    breaks: "the operator's memory grows with every object that ever was",
  },
  {
    file: "lib/kube/consistency.ts",
    find: "return cached !== undefined && !isOlder(cached.metadata.resourceVersion, resourceVersion);",
    replace: "return cached === undefined || !isOlder(cached.metadata.resourceVersion, resourceVersion);",
    breaks: "an object that was just made counts as seen while the cache does not have it",
  },
  {
    file: "lib/kube/consistency.ts",
    find: 'change.type === "deleted" && change.previous.metadata.uid === write.uid;',
    replace: 'change.type === "deleted";',
    breaks: "the late news that a predecessor is gone passes for news of the object that was just made",
  },
  {
    file: "lib/kube/consistency.ts",
    find: "const concerns = [id, ...controllerIds(object)];",
    replace: "const concerns = [id];",
    breaks: "an agent is reconciled before the cache shows the Deployment that was just written for it",
  },
  {
    file: "lib/kube/consistency.ts",
    find: "    write.isOverdue = true;\n",
    replace: "",
    breaks: "a cache that stays behind puts an agent off again and again, for good",
  },
  {
    file: "lib/kube/consistency.ts",
    find: "    this.#drop(previous);\n    const seen",
    replace: "    const seen",
    breaks: "a second write of an object leaves those who wait for the first one waiting",
  },
  {
    file: "lib/kube/store.ts",
    find: "existing === undefined || isOlder(object.metadata.resourceVersion, existing.metadata.resourceVersion)",
    replace: "existing === undefined",
    breaks: "a late deletion takes an object out of the cache that was made again since",
  },
  {
    file: "lib/kube/store.ts",
    find: "    if (!reset && isOlder(has.resourceVersion, had.resourceVersion)) return;\n",
    replace: "",
    breaks: "an older version of an object replaces a newer one in the cache",
  },
  {
    file: "lib/kube/store.ts",
    find: "if (had.uid !== has.uid) {",
    replace: "if (had.uid !== has.uid && had.resourceVersion === has.resourceVersion) {",
    breaks: "an object that was deleted and made again passes for an edit of the old one",
  },
  {
    file: "lib/kube/store.ts",
    find: '      this.#unindex(key, previous);\n      this.#set(key, object);\n      this.#announce({ type: "modified"',
    replace: '      this.#set(key, object);\n      this.#announce({ type: "modified"',
    breaks: "an agent that moved to another instance stays in the list of the former one",
  },
  {
    file: "lib/kube/store.ts",
    find: "options.namespace === undefined || object.metadata.namespace === options.namespace;",
    replace: "true;",
    breaks: "a list of one namespace deletes the objects of all others from the cache",
  },
  {
    file: "lib/kube/source.ts",
    find: 'if (change.type !== "added") for (const key of toKeys(change.previous)) keys.add(key);',
    replace: 'if (change.type === "deleted") for (const key of toKeys(change.previous)) keys.add(key);',
    breaks: "the former owner of an object does not hear that it has lost it",
  },
  {
    file: "lib/kube/source.ts",
    find: "if (has.generation === undefined || had.generation !== has.generation) return true;",
    replace: "if (had.generation !== has.generation) return true;",
    breaks: "an edit of a ConfigMap by hand is not noticed",
  },
  {
    file: "lib/kube/source.ts",
    find: "return [labels, annotations, finalizers, ownerReferences, deletionTimestamp];",
    replace: "return [labels, annotations, finalizers, ownerReferences];",
    breaks: "that an object is being deleted is not noticed until something else changes",
  },
  {
    file: "lib/kube/source.ts",
    find: "void echo.then((is) => is || enqueueAll());",
    replace: "void echo.then((is) => is && enqueueAll());",
    breaks: "a change by somebody else that arrives during a write of ours is lost",
  },
  {
    file: "lib/kube/owner-guard.ts",
    find: "    if (isNewer(found, owner)) throw behind(owner);\n",
    replace: "",
    breaks: "children are written by a spec that the user has replaced, while a watch is silent",
  },
  {
    file: "lib/kube/owner-guard.ts",
    find: "return found?.metadata.uid === cached.metadata.uid ? found : undefined;",
    replace: "return found;",
    breaks: "children are made for an owner that is gone because another one has its name",
  },
];

const working: readonly Mutant[] = [
  {
    file: "lib/kube/controller.ts",
    find: '    if ("result" in verdict) {\n      this.#queue.forget(key);\n',
    replace: '    if ("result" in verdict) {\n',
    breaks: "an agent that is well again waits as long after its next failure as after all the former ones",
  },
  {
    file: "lib/kube/controller.ts",
    find: "      parent: this.#halt.signal,\n",
    replace: "",
    breaks: "reconciles go on writing after the operator was stopped",
  },
  {
    file: "lib/kube/controller.ts",
    find: "isAway(error) ? maxUnreachableRetryMs : undefined;",
    replace: "undefined;",
    breaks: "after an outage of the API server agents wait for minutes",
  },
  {
    file: "lib/kube/controller.ts",
    find: "this.#ensureSynced(key) ?? this.#options.ownWrites?.ensureSeen(key);",
    replace: "this.#ensureSynced(key);",
    breaks: "a reconcile decides on a cache that is older than its own last write",
  },
  {
    file: "lib/kube/controller.ts",
    find: "this.#postponed.set(key, Math.max(priority, known ?? priority));",
    replace: "this.#postponed.set(key, known ?? priority);",
    breaks: "an edit that comes while the key waits for the caches is handled after the whole first list",
  },
  {
    file: "lib/kube/controller.ts",
    find: "error: signal.aborted && !(error instanceof Waiting || error instanceof Stalled) ? signal.reason : error,",
    replace: "error: signal.aborted ? signal.reason : error,",
    breaks: "a resource that waits for something at the deadline is reported as failed",
  },
  {
    file: "lib/kube/work-queue.ts",
    find: "if (known === undefined || known.priority < priority) this.#again.set(key, pending);",
    replace: "if (known !== undefined && known.priority < priority) this.#again.set(key, pending);",
    breaks: "an edit that comes during the reconcile of its agent is lost",
  },
  {
    file: "lib/kube/work-queue.ts",
    find: "    if (this.#waiters.length > 0) this.#waiters.shift()?.(this.#next());\n",
    replace: "",
    breaks: "an edit is handled only when something else happens",
  },
  {
    file: "lib/kube/work-queue.ts",
    find: "if (known !== undefined && known.dueAt <= dueAt) return;",
    replace: "if (known !== undefined) return;",
    breaks: "a key that is to come back soon waits for a later appointment made before",
  },
  {
    file: "lib/kube/work-queue.ts",
    find: "const afterMs = Math.max(Math.min(backoffMs, atMostMs), atLeastMs);",
    replace: "const afterMs = Math.min(backoffMs, atMostMs);",
    breaks: "an overloaded API server is asked again before the time that it has named",
  },
  {
    file: "lib/kube/work-queue.ts",
    find: "    for (const waiter of this.#waiters.splice(0)) waiter(undefined);\n",
    replace: "",
    breaks: "the operator does not end when it is stopped",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "if (!isUnanswered && !isPutOff) this.#fruitlessWatches += 1;",
    replace: "if (!isUnanswered) this.#fruitlessWatches += 1;",
    breaks: "an API server that answers 429 is asked for whole lists",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "if (!isUnanswered && !isPutOff) this.#fruitlessWatches += 1;",
    replace: "if (!isPutOff) this.#fruitlessWatches += 1;",
    breaks: "an API server that comes back from a restart is asked for whole lists by everybody",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "      this.#fruitlessWatches = 0;\n    }\n  }\n",
    replace: "    }\n  }\n",
    breaks: "watches that bring news are doubted after the fifth one that is interrupted",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "if (!isExpired(failure) && this.#fruitlessWatches < maxFruitlessWatches) return;",
    replace: "if (this.#fruitlessWatches < maxFruitlessWatches) return;",
    breaks: "a watch whose place the server has forgotten is asked for in vain again and again",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "const isSilence = wasHealthy && failure instanceof TransportError && failure.timedOut;",
    replace: "const isSilence = wasHealthy && failure === undefined;",
    breaks: "a quiet kind makes the operator report an interrupted watch every minute",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "if (object === undefined) retain.add(keyOf(raw));",
    replace: "if (object === undefined) continue;",
    breaks: "an agent that this release cannot read counts as deleted, and its children go",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "    if (this.#newest === undefined || !isOlder(resourceVersion, this.#newest)) {\n      this.#staleLists",
    replace: '    if (this.#newest !== "") {\n      this.#staleLists',
    breaks: "a list from an API server that lags behind deletes what was made meanwhile from the cache",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;",
    replace: "const asked = 0;",
    breaks: "an API server that asks to be left alone for a while is asked again within seconds",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "if (wasHealthy) this.#backoff.reset();",
    replace: "if (wasHealthy && failure === undefined) this.#backoff.reset();",
    breaks: "after hours without a problem a single broken connection costs the longest pause",
  },
  {
    file: "lib/kube/reflector.ts",
    find: "      this.#advance(event.resourceVersion);\n",
    replace: "",
    breaks: "a quiet kind is listed anew again and again because its place is forgotten by the server",
  },
  {
    file: "lib/kube/informer.ts",
    find: "reflector.hasSynced || reflector.isRefused",
    replace: "reflector.hasSynced",
    breaks: "one namespace that may not be read keeps the operator from being ready",
  },
  {
    file: "lib/kube/informer.ts",
    find: " &&\n    reflectors.some((reflector) => reflector.hasSynced);",
    replace: ";",
    breaks: "an operator without any rights says that it is ready",
  },
  {
    file: "lib/kube/informer.ts",
    find: "      tell?.(refused);\n      resolveWhenSynced();\n",
    replace: "      tell?.(refused);\n",
    breaks: "the operator waits for ever where the last namespace to answer is a refused one",
  },
  {
    file: "lib/kube/informer.ts",
    find: "filter((reflector) => !reflector.hasSynced);",
    replace: "filter((reflector) => !reflector.hasSynced && !reflector.isRefused);",
    breaks: "a namespace that may not be read passes for an empty one, and its children are removed",
  },
  {
    file: "lib/kube/informer.ts",
    find: "badness[state.phase] > badness[worst.phase]",
    replace: "badness[state.phase] < badness[worst.phase]",
    breaks: "a cache that is behind in one namespace is reported as live",
  },
];

export const kubeMutants: readonly Mutant[] = [...callMutants, ...believing, ...working];
