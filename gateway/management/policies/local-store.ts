// Proposals of local mode: one file in the state folder, replaced as a whole at each write. The policies themselves are files that
// people edit, so that a proposal here is a text to take over by hand.
import { rename } from "node:fs/promises";
import * as z from "zod";
import { pallasPolicy, type PolicyProposal } from "../../../crds/policy.ts";
import type { Logger } from "../../../lib/process/log.ts";
import { createTurns } from "../../directory/turns.ts";
import { readLimited, replaceFile } from "../../replaced-file.ts";
import { WriteRefused } from "../../state/state.ts";
import { requireRoom, type ProposalStore } from "./store.ts";

/** Of all policies together. */
const maxProposalsFileBytes = 16 * 1024 * 1024;

const fileSchema = z.object({
  schema: z.literal(1),
  policies: z.array(z.object({ name: z.string(), proposals: pallasPolicy.status.shape.proposals.unwrap() })),
});

export interface LocalProposalsOptions {
  path: string;
  log: Logger;
}

/** Begins with what a process before this one has left. A file that cannot be used is kept beside, and the log says so. */
export async function openLocalProposals({ path, log }: LocalProposalsOptions): Promise<ProposalStore> {
  let policies = await readProposals(path, log);
  const listeners = new Set<(policy: string) => void>();
  const inTurn = createTurns();
  const list = (policy: string) => policies.get(policy) ?? [];
  return {
    list,
    async edit(policy, edit, by) {
      await inTurn(path, async () => {
        const proposals = edit(list(policy));
        requireRoom(policy, proposals);
        const next = new Map(policies).set(policy, proposals);
        const kept = [...next].filter(([, each]) => each.length > 0);
        const text = `${JSON.stringify({ schema: 1, policies: kept.map(([name, each]) => ({ name, proposals: each })) })}\n`;
        if (Buffer.byteLength(text) > maxProposalsFileBytes) {
          const message = `proposals of pallas up hold at most ${maxProposalsFileBytes} bytes: withdraw or reject one first`;
          throw new WriteRefused(message, { kind: "invalid" });
        }
        await replaceFile(path, text);
        policies = new Map(kept);
        log.info({ policy, proposals: proposals.length, subject: by.subject }, "proposals written");
      });
      for (const listener of listeners) listener(policy);
    },
    onChange(listener) {
      const own = (policy: string) => listener(policy);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

async function readProposals(path: string, log: Logger): Promise<ReadonlyMap<string, readonly PolicyProposal[]>> {
  try {
    const text = await readLimited(path, maxProposalsFileBytes);
    if (text === undefined) return new Map();
    return new Map(fileSchema.parse(JSON.parse(text)).policies.map(({ name, proposals }) => [name, proposals]));
  } catch (error) {
    const keptAs = `${path}.faulty`;
    await rename(path, keptAs);
    log.warn({ path, keptAs, err: error }, "proposals cannot be read: the file is kept beside, and there are none now");
    return new Map();
  }
}
