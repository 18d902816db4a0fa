// What is worth a line about a process that runs: that it is not well, that it is again, and which calls hold up its end; of a
// bridge, whether its server is there. Nothing is said twice.
import { describeState, type Board } from "./board.ts";
import type { ListedServer } from "./desired-servers.ts";
import { shortName } from "./process-keys.ts";

export class ProcessNews {
  /** What was said last of one that is not well. */
  readonly #unwell = new Map<string, string>();
  /** Servers that were there when they were last looked at. */
  readonly #serving = new Set<string>();
  readonly #held = new Map<string, string>();
  readonly #draining = new Set<string>();

  /** When an agent begins to be unwell, when its reason is another, and when it is over. */
  ofHealth(key: string, board: Board): string | undefined {
    const { status, reason = "" } = describeState(board.get(key));
    if (status === "ready" && board.get(key)?.health !== undefined && this.#unwell.delete(key)) {
      return `${shortName(key)}: healthy again`;
    }
    // Seconds that were measured are no other reason.
    const sameness = reason.replaceAll(/\d+(?:\.\d+)?/g, "#");
    if (status !== "degraded" || this.#unwell.get(key) === sameness) return undefined;
    this.#unwell.set(key, sameness);
    return `${shortName(key)}: degraded: ${reason}`;
  }

  /** When a server is there for the first time, or again, and when it is not. */
  ofServer(key: string, url: string, board: Board): string | undefined {
    const { status, reason = "" } = describeState(board.get(key));
    const wasServing = this.#serving.has(key);
    if (status === "ready") this.#serving.add(key);
    else this.#serving.delete(key);
    if (status === "ready") {
      this.#unwell.delete(key);
      return wasServing ? undefined : `${shortName(key)}: ready at ${url}`;
    }
    if (board.get(key)?.bridge === undefined || (status !== "failing" && status !== "degraded")) return undefined;
    if (this.#unwell.get(key) === reason) return undefined;
    this.#unwell.set(key, reason);
    return `${shortName(key)}: ${status}: ${reason}`;
  }

  /** When nothing is started any more of what an edit made another program, which only its user can allow. */
  ofHeld({ key, held }: ListedServer): string | undefined {
    const message = held === undefined || held.reason === "Inactive" ? "" : held.message;
    const wasSaid = (this.#held.get(key) ?? "") === message;
    this.#held.set(key, message);
    return wasSaid || message === "" ? undefined : `${shortName(key)}: held: ${message}`;
  }

  /** When it is found that a process which is to stop works on calls. */
  ofCalls(key: string, board: Board, isStopping: boolean): string | undefined {
    const { status, reason } = describeState(board.get(key));
    if (status !== "stopping") this.#draining.delete(key);
    if (status !== "stopping" || reason === undefined || this.#draining.has(key)) return undefined;
    this.#draining.add(key);
    const then = isStopping ? "Ctrl-C once more ends what runs" : "what was edited holds when they have ended";
    return `${shortName(key)}: ${reason}; ${then}`;
  }
}
