// Registrations of local mode: one file in the state folder, replaced as a whole at each write, so that they are there again when
// `pallas up` is. What does not fit into it is refused.
import { rename } from "node:fs/promises";
import * as z from "zod";
import { registrationManifest, type PallasRegistration } from "../../crds/registration.ts";
import type { Logger } from "../../lib/process/log.ts";
import { readLimited, replaceFile } from "../replaced-file.ts";
import { WriteRefused } from "../state/state.ts";
import type { RegistrationStore } from "./store.ts";
import { createTurns } from "./turns.ts";

export const maxRegistrationsFileBytes = 16 * 1024 * 1024;

const fileSchema = z.object({ schema: z.literal(1), registrations: z.array(registrationManifest) });

export interface LocalStoreOptions {
  path: string;
  log: Logger;
}

/** Begins with what a process before this one has left. A file that cannot be used is kept beside, and the log says so. */
export async function openLocalStore({ path, log }: LocalStoreOptions): Promise<RegistrationStore> {
  let registrations = await readRegistrations(path, log);
  const listeners = new Set<() => void>();
  const inTurn = createTurns();
  const keep = async (change: (known: readonly PallasRegistration[]) => readonly PallasRegistration[]) =>
    await inTurn(path, async () => {
      const next = change(registrations);
      const text = `${JSON.stringify({ schema: 1, registrations: next })}\n`;
      if (Buffer.byteLength(text) > maxRegistrationsFileBytes) {
        const message = `the directory of pallas up holds at most ${maxRegistrationsFileBytes} bytes: remove a registration first`;
        throw new WriteRefused(message, { kind: "invalid" });
      }
      await replaceFile(path, text);
      registrations = next;
      for (const listener of listeners) listener();
    });
  return {
    list: () => registrations,
    async put(registration) {
      const { name } = registration.metadata;
      await keep((known) => [...known.filter(({ metadata }) => metadata.name !== name), registration]);
    },
    async remove(name) {
      await keep((known) => known.filter(({ metadata }) => metadata.name !== name));
    },
    onChange(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

async function readRegistrations(path: string, log: Logger): Promise<readonly PallasRegistration[]> {
  try {
    const text = await readLimited(path, maxRegistrationsFileBytes);
    return text === undefined ? [] : fileSchema.parse(JSON.parse(text)).registrations;
  } catch (error) {
    const keptAs = `${path}.faulty`;
    await rename(path, keptAs);
    log.warn(
      { path, keptAs, err: error },
      "registrations cannot be read: the file is kept beside, and the directory begins empty",
    );
    return [];
  }
}
