// Conditions in the making during one reconcile. Steps say what they found; the reconciler writes the whole at its end.
import type { Reason } from "../crds/conditions.ts";
import type { Condition } from "../crds/definition.ts";
import { formatProblem, type ValidationError } from "../plan/validation-error.ts";

export type ConditionStatus = Condition["status"];

/** Messages are cut here: a status must stay small however much is wrong. */
const maxMessageChars = 2048;

/** The form of metav1.Time: UTC, whole seconds. */
const renderTime = (time: Date): string => time.toISOString().replace(/\.\d{3}Z$/, "Z");

export class ConditionSet<Type extends string> {
  readonly #conditions: Map<string, Condition>;
  readonly #generation: number;
  readonly #now: Date;

  /** @param before the conditions the resource has, whose transition times stay where nothing changes */
  constructor(before: readonly Condition[], generation: number, now: Date) {
    this.#conditions = new Map(before.map((condition) => [condition.type, condition]));
    this.#generation = generation;
    this.#now = now;
  }

  /** lastTransitionTime moves only with the status, as the API conventions ask. */
  set(type: Type, status: ConditionStatus, reason: Reason, message: string): void {
    const before = this.#conditions.get(type);
    this.#conditions.set(type, {
      type,
      status,
      reason,
      message: message.length > maxMessageChars ? `${message.slice(0, maxMessageChars - 1)}…` : message,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : this.time,
      observedGeneration: this.#generation,
    });
  }

  /** What was said before still holds for this generation; Unknown where nothing was. */
  keep(type: Type): void {
    const before = this.#conditions.get(type);
    if (before) this.#conditions.set(type, { ...before, observedGeneration: this.#generation });
    else this.set(type, "Unknown", "NotChecked", "not checked yet");
  }

  /** Nothing is said of it any more. */
  drop(type: Type): void {
    this.#conditions.delete(type);
  }

  /** False with the first problem's reason and every problem's message. */
  problem(type: Type, [first, ...others]: readonly [ValidationError, ...ValidationError[]]): void {
    this.set(type, "False", first.reason, [first, ...others].map(formatProblem).join("; "));
  }

  get(type: Type): Condition | undefined {
    return this.#conditions.get(type);
  }

  status(type: Type): ConditionStatus {
    return this.get(type)?.status ?? "Unknown";
  }

  message(type: Type): string {
    return this.get(type)?.message ?? "";
  }

  get all(): Condition[] {
    return [...this.#conditions.values()];
  }

  get time(): string {
    return renderTime(this.#now);
  }
}
