// Approvals of local mode: one file in the state folder, replaced as a whole at each write and before it counts, so that whatever
// was decided or used is so in the next process too. A file that cannot be used is kept beside, and the log says so.
import { rename } from "node:fs/promises";
import * as z from "zod";
import { approvalManifest, type PallasApproval } from "../../crds/approval.ts";
import type { Logger } from "../../lib/process/log.ts";
import { createTurns } from "../directory/turns.ts";
import { readLimited, replaceFile } from "../replaced-file.ts";
import { StoreRefused, type ApprovalStore } from "./store.ts";

export const maxApprovalsFileBytes = 32 * 1024 * 1024;

const fileSchema = z.object({
  schema: z.literal(1),
  /** Of the last write; the next form has one more. */
  version: z.int().min(0),
  approvals: z.array(approvalManifest),
});
type Kept = z.output<typeof fileSchema>;

export interface LocalStoreOptions {
  path: string;
  log: Logger;
}

/** Begins with what a process before this one has left. */
export async function openLocalStore({ path, log }: LocalStoreOptions): Promise<ApprovalStore> {
  return new LocalStore(path, await readKept(path, log));
}

class LocalStore implements ApprovalStore {
  readonly #path: string;
  readonly #inTurn = createTurns();
  readonly #listeners = new Set<(names: readonly string[]) => void>();
  #kept: Kept;

  constructor(path: string, kept: Kept) {
    this.#path = path;
    this.#kept = kept;
  }

  list(): readonly PallasApproval[] {
    return this.#kept.approvals;
  }

  async read(name: string): Promise<PallasApproval | undefined> {
    return this.#find(name);
  }

  async create(approval: PallasApproval): Promise<PallasApproval> {
    const { name } = approval.metadata;
    return await this.#put(name, (found) => {
      if (found === undefined) return approval;
      throw new StoreRefused("taken", `there is an approval "${name}" already`);
    });
  }

  async decide(seen: PallasApproval, decision: PallasApproval["spec"]["decision"]): Promise<PallasApproval> {
    return await this.#change(seen, (found) => ({ ...found, spec: { ...found.spec, ...(decision && { decision }) } }));
  }

  async setStatus(seen: PallasApproval, status: NonNullable<PallasApproval["status"]>): Promise<PallasApproval> {
    return await this.#change(seen, (found) => ({ ...found, status: { ...found.status, ...status } }));
  }

  async remove(seen: PallasApproval): Promise<void> {
    const { name } = seen.metadata;
    await this.#inTurn(this.#path, async () => {
      requireSame(this.#find(name), seen);
      await this.#replace(name, []);
    });
  }

  onChange(listener: (names: readonly string[]) => void): () => void {
    const own = (names: readonly string[]) => listener(names);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #find(name: string): PallasApproval | undefined {
    return this.#kept.approvals.find(({ metadata }) => metadata.name === name);
  }

  async #change(seen: PallasApproval, change: (found: PallasApproval) => PallasApproval): Promise<PallasApproval> {
    return await this.#put(seen.metadata.name, (found) => change(requireSame(found, seen)));
  }

  async #put(name: string, change: (found: PallasApproval | undefined) => PallasApproval): Promise<PallasApproval> {
    return await this.#inTurn(this.#path, async () => {
      const changed = change(this.#find(name));
      const resourceVersion = String(this.#kept.version + 1);
      const next = { ...changed, metadata: { ...changed.metadata, resourceVersion } };
      await this.#replace(name, [next]);
      return next;
    });
  }

  /** Has `instead` in place of what is named. What the file says counts only once it is written. */
  async #replace(name: string, instead: readonly PallasApproval[]): Promise<void> {
    const others = this.#kept.approvals.filter(({ metadata }) => metadata.name !== name);
    const kept: Kept = {
      schema: 1,
      version: this.#kept.version + 1,
      approvals: [...others, ...instead].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    };
    const text = `${JSON.stringify(kept)}\n`;
    if (Buffer.byteLength(text) > maxApprovalsFileBytes) {
      const message = `approvals of pallas up take at most ${maxApprovalsFileBytes} bytes: decide of some first`;
      throw new StoreRefused("invalid", message);
    }
    try {
      await replaceFile(this.#path, text, { durable: true });
    } catch (cause) {
      throw new StoreRefused("away", `the file of approvals cannot be written: ${String(cause)}`, { cause });
    }
    this.#kept = kept;
    for (const listener of [...this.#listeners]) listener([name]);
  }
}

function requireSame(found: PallasApproval | undefined, { metadata }: PallasApproval): PallasApproval {
  if (found === undefined) throw new StoreRefused("gone", `there is no approval "${metadata.name}" any more`);
  if (found.metadata.resourceVersion === metadata.resourceVersion) return found;
  throw new StoreRefused("changed", `approval "${metadata.name}" has been changed meanwhile`);
}

async function readKept(path: string, log: Logger): Promise<Kept> {
  const nothing: Kept = { schema: 1, version: 0, approvals: [] };
  try {
    const text = await readLimited(path, maxApprovalsFileBytes);
    return text === undefined ? nothing : fileSchema.parse(JSON.parse(text));
  } catch (error) {
    const keptAs = `${path}.faulty`;
    await rename(path, keptAs);
    log.warn(
      { path, keptAs, err: error },
      "approvals cannot be read: the file is kept beside, and nothing is approved",
    );
    return nothing;
  }
}
