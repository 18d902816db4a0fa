// Registrations as resources of the cluster: read from the gateway's watch, written through its writes, one API call each. Who writes
// sees it at once: an answer waits for the watch, for as long as a sound one may be behind.
import type { Clock } from "../../lib/process/clock.ts";
import type { GatewayState, WritesFor } from "../state/state.ts";
import { maxBehindMs } from "../writes/seen.ts";
import type { RegistrationStore } from "./store.ts";

export interface ClusterStoreParts {
  state: Pick<GatewayState, "listRegistrations" | "onChange">;
  writesFor: WritesFor;
  clock: Clock;
}

export function createClusterStore({ state, writesFor, clock }: ClusterStoreParts): RegistrationStore {
  const onChange = (listener: () => void) =>
    state.onChange(({ registrations }) => {
      if (registrations.length > 0) listener();
    });
  const isKnown = (name: string) => state.listRegistrations().some(({ metadata }) => metadata.name === name);
  return {
    list: () => state.listRegistrations(),
    async put(registration, caller) {
      await writesFor(caller).registrations.upsert(registration);
    },
    async remove(name, caller) {
      await writesFor(caller).registrations.delete(name);
      if (!isKnown(name)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = onChange(() => {
        if (!isKnown(name)) resolve();
      });
      const timer = clock.schedule(maxBehindMs, resolve);
      await promise;
      timer.cancel();
      stop();
    },
    onChange,
  };
}
