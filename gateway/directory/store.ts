// Where registrations are kept: in the cluster as resources, locally in a file. What the directory reads is in memory.
import type { PallasRegistration } from "../../crds/registration.ts";
import type { Identity } from "../../lib/auth/roles.ts";

export interface RegistrationStore {
  /** Of this instance; the same array while nothing has changed. */
  list(): readonly PallasRegistration[];
  /** Keeps it in place of what has its metadata.name. In the list once this has resolved. Throws WriteRefused. */
  put(registration: PallasRegistration, caller: Identity): Promise<void>;
  /** Throws WriteRefused. */
  remove(name: string, caller: Identity): Promise<void>;
  /** Called after changes, until what it returns is called. */
  onChange(listener: () => void): () => void;
}
