// The tools that `auto_activate` of find_tool put into one caller's own list (DSC-5): of a session of the 2025 era for as long as it is
// remembered, in the 2026 era of the caller for an hour. In the memory of this process; what is forgotten is called by its name all the same.
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { identityOf } from "../management/access.ts";
import type { IsFor, Requester } from "../../lib/mcp/table.ts";
import type { ToolRef } from "./tool-name.ts";

export interface ShownToolsOptions {
  clock: Clock;
  /** Callers and sessions that are remembered; of more, those that came first are forgotten. */
  maxRequesters?: number;
  /** Of one of them; of more, those that were found first leave its list. */
  maxTools?: number;
  /** In the 2026 era. */
  forMs?: number;
  /** Hears whose list is another now. */
  onChange: (isFor: IsFor) => void;
}

/** More is no help to a model. */
const maxShownTools = 32;
const maxShownRequesters = 4_096;
const hourMs = 60 * 60_000;

interface Shown {
  readonly tools: Map<string, ToolRef>;
  timer: Timer | undefined;
}

export class ShownTools {
  readonly #options: Required<ShownToolsOptions>;
  readonly #byKey = new Map<string, Shown>();

  constructor(options: ShownToolsOptions) {
    this.#options = { maxRequesters: maxShownRequesters, maxTools: maxShownTools, forMs: hourMs, ...options };
  }

  of(requester: Requester): readonly ToolRef[] {
    return [...(this.#byKey.get(keyOf(requester))?.tools.values() ?? [])];
  }

  has(requester: Requester, server: string, tool: string): boolean {
    return this.#byKey.get(keyOf(requester))?.tools.has(keyOfTool({ server, tool })) === true;
  }

  /** For an hour from now on in the 2026 era, however long it was shown before. */
  add(requester: Requester, tool: ToolRef): void {
    const key = keyOf(requester);
    const { maxTools, maxRequesters } = this.#options;
    const shown = this.#byKey.get(key) ?? { tools: new Map<string, ToolRef>(), timer: undefined };
    // What is used last is forgotten last.
    this.#byKey.delete(key);
    this.#byKey.set(key, shown);
    const isNew = !shown.tools.has(keyOfTool(tool));
    shown.tools.delete(keyOfTool(tool));
    shown.tools.set(keyOfTool(tool), tool);
    for (const each of [...shown.tools.keys()].slice(0, Math.max(0, shown.tools.size - maxTools))) {
      shown.tools.delete(each);
    }
    for (const each of [...this.#byKey.keys()].slice(0, Math.max(0, this.#byKey.size - maxRequesters))) {
      this.#forget(each);
    }
    if (requester.sessionId === undefined) this.#restart(key, shown);
    if (isNew) this.#tell(key);
  }

  /** Takes all tools of a server out of one caller's list. */
  hide(requester: Requester, server: string): void {
    const key = keyOf(requester);
    const shown = this.#byKey.get(key);
    const own = [...(shown?.tools ?? [])].filter(([, tool]) => tool.server === server);
    for (const [each] of own) shown?.tools.delete(each);
    if (own.length > 0) this.#tell(key);
  }

  close(): void {
    for (const { timer } of this.#byKey.values()) timer?.cancel();
    this.#byKey.clear();
  }

  #restart(key: string, shown: Shown): void {
    shown.timer?.cancel();
    shown.timer = this.#options.clock.schedule(this.#options.forMs, () => this.#forget(key));
  }

  #forget(key: string): void {
    this.#byKey.get(key)?.timer?.cancel();
    if (this.#byKey.delete(key)) this.#tell(key);
  }

  #tell(key: string): void {
    this.#options.onChange((requester) => keyOf(requester) === key);
  }
}

/** A session is one caller's, and its id is known to nobody else. */
function keyOf(requester: Requester): string {
  const { kind, subject } = identityOf(requester);
  return JSON.stringify([kind, subject, requester.sessionId ?? null]);
}

const keyOfTool = ({ server, tool }: ToolRef): string => JSON.stringify([server, tool]);
