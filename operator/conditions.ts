// Conditions in the making during one reconcile. Steps say what they found; the reconciler writes the whole at its end.
import type { Reason } from "../crds/conditions.ts";
import type { Condition } from "../crds/definition.ts";
import { renderTime, setCondition } from "../lib/kube/conditions.ts";
import { formatFault, type Fault } from "../plan/fault.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

/** Messages are cut here: a status must stay small however much is wrong. */
const maxMessageLength = 2048;

export class ConditionSet<Type extends string> {
  #conditions: readonly Condition[];
  readonly #generation: number;
  readonly #now: Date;

  /** @param before the conditions the resource has, whose transition times stay where nothing changes */
  constructor(before: readonly Condition[], generation: number, now: Date) {
    this.#conditions = before;
    this.#generation = generation;
    this.#now = now;
  }

  set(type: Type, status: ConditionStatus, reason: Reason, message: string): void {
    const next = {
      type,
      status,
      reason,
      message: message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message,
      observedGeneration: this.#generation,
    };
    this.#conditions = setCondition(this.#conditions, next, this.#now).map(toCondition);
  }

  /** What was said before still holds for this generation; Unknown where nothing was. */
  keep(type: Type): void {
    const before = this.#conditions.find((condition) => condition.type === type);
    if (before === undefined) {
      this.set(type, "Unknown", "NotChecked", "not looked at yet");
      return;
    }
    const kept = { ...before, observedGeneration: this.#generation };
    this.#conditions = this.#conditions.map((condition) => (condition === before ? kept : condition));
  }

  /** False with the first fault's reason and every fault's message. */
  fault(type: Type, [first, ...others]: readonly [Fault, ...Fault[]]): void {
    this.set(type, "False", first.reason, [first, ...others].map(formatFault).join("; "));
  }

  status(type: Type): ConditionStatus {
    return this.#conditions.find((condition) => condition.type === type)?.status ?? "Unknown";
  }

  message(type: Type): string {
    return this.#conditions.find((condition) => condition.type === type)?.message ?? "";
  }

  get all(): Condition[] {
    return [...this.#conditions];
  }

  get time(): string {
    return renderTime(this.#now);
  }
}

const toCondition = ({ observedGeneration, ...rest }: ReturnType<typeof setCondition>[number]): Condition =>
  observedGeneration === undefined ? rest : { ...rest, observedGeneration };
