// Places for the server's processes, of which there are so many and no more, and for sessions where those share one. Whoever takes
// one leaves it.
import { JsonRpcError, rpcCodes } from "../lib/mcp/json-rpc.ts";

export interface Places {
  /** What it returns leaves the place; a second time does nothing. Throws a JsonRpcError with the cure when there is none. */
  take(): () => void;
  isFull(): boolean;
}

export function createPlaces(max: number, { fullText, onFull }: { fullText: string; onFull: () => void }): Places {
  let taken = 0;
  return {
    isFull: () => taken >= max,
    take() {
      if (taken >= max) {
        onFull();
        throw new JsonRpcError(rpcCodes.serverError, fullText);
      }
      taken += 1;
      let isLeft = false;
      return () => {
        if (!isLeft) taken -= 1;
        isLeft = true;
      };
    },
  };
}
