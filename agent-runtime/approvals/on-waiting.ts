// What a run does while people are asked about one of its calls: its time stands still, and its caller hears what it waits for.
import type { RunContext, ToolLabel } from "../loop/run-context.ts";
import type { JudgedRun, Waiting } from "../policy/types.ts";

/** For a run of the agent's own loop. */
export function createOnWaiting({ time, events }: Pick<RunContext, "time" | "events">, label: ToolLabel) {
  let goOn: (() => void) | undefined;
  let endLine: (() => void) | undefined;
  const onWaiting: JudgedRun["onWaiting"] = (waiting) => {
    endLine?.();
    endLine = undefined;
    if (waiting === undefined) {
      goOn?.();
      goOn = undefined;
      return;
    }
    goOn ??= time.pause();
    endLine = events.toolWaits(label, renderWaiting(waiting));
  };
  return onWaiting;
}

/** `waits for approval clerk-0123456789ab-1 until 2026-01-01T00:10:00Z`. */
export const renderWaiting = ({ name, expiresAt }: Waiting): string =>
  name === undefined
    ? "waits for an answer"
    : `waits for approval ${name}${expiresAt === undefined ? "" : ` until ${expiresAt}`}`;
