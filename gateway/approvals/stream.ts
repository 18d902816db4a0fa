// The stream of lines that an agent waits on: first under which name and until when, then a heartbeat now and then, and at last what
// became of it. A reader that stopped reading is owed no heartbeats.
import type { PallasApproval } from "../../crds/approval.ts";
import { approvalHeartbeatMs, type ApprovalLine } from "../../crds/approval-wire.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { Approvals, Outcome } from "./approvals.ts";

export interface StreamParts {
  approvals: Pick<Approvals, "wait">;
  approval: PallasApproval;
  /** Ends it without a last line. */
  signal: AbortSignal;
  clock: Clock;
}

const maxOwedChunks = 16;

export function streamOutcome({ approvals, approval, signal, clock }: StreamParts): Response {
  const { name } = approval.metadata;
  const { expiresAt } = approval.spec;
  const ended = new AbortController();
  const encoder = new TextEncoder();
  let heartbeat: Timer | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (line: ApprovalLine) => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        const beat = () => {
          if ((controller.desiredSize ?? 0) > 0) send({ type: "heartbeat" });
          heartbeat = clock.schedule(approvalHeartbeatMs, beat);
        };
        send({ type: "waiting", name, expiresAt });
        heartbeat = clock.schedule(approvalHeartbeatMs, beat);
        approvals
          .wait(name, AbortSignal.any([signal, ended.signal]))
          .then(
            (outcome) => send(renderLast(outcome)),
            // Broken off: who reads it asks again by name.
            () => undefined,
          )
          .finally(() => {
            heartbeat?.cancel();
            if (!ended.signal.aborted) controller.close();
          });
      },
      cancel() {
        heartbeat?.cancel();
        ended.abort();
      },
    },
    new CountQueuingStrategy({ highWaterMark: maxOwedChunks }),
  );
  return new Response(body, {
    headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store", "X-Accel-Buffering": "no" },
  });
}

function renderLast(outcome: Outcome): ApprovalLine {
  const { name } = outcome;
  return outcome.outcome === "expired"
    ? { type: "expired", name }
    : { type: "decided", name, decision: outcome.decision };
}
