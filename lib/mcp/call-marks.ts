// Which of our calls a request of the SDK's transport belongs to: the SDK hands the headers of a call on to the fetch that it
// is given, and nothing else of it. The mark goes no further than there.
import type { Holder } from "../process/memory-budget.ts";

const callHeader = "x-pallas-call";

export interface MarkedCall {
  readonly id: string;
  /** Counts its answer; absent where nobody does. */
  readonly holder: Holder | undefined;
}

export interface CallMarks {
  begin(holder: Holder | undefined): MarkedCall & { headers: Record<string, string>; end(): void };
  /** The call that a request belongs to; its mark is taken out of the headers. */
  take(headers: Headers): MarkedCall | undefined;
}

export function createCallMarks(): CallMarks {
  const calls = new Map<string, MarkedCall>();
  let begun = 0;
  return {
    begin(holder) {
      begun += 1;
      const call = { id: String(begun), holder };
      calls.set(call.id, call);
      return { ...call, headers: { [callHeader]: call.id }, end: () => void calls.delete(call.id) };
    },
    take(headers) {
      const call = calls.get(headers.get(callHeader) ?? "");
      headers.delete(callHeader);
      return call;
    },
  };
}
