// Approvals in memory, for tests of their life: several gateways may be made on one store, and a test may break a write or come first.
import type { PallasApproval } from "../../../crds/approval.ts";
import { StoreRefused, type ApprovalStore } from "../store.ts";

type Write = "create" | "decide" | "setStatus" | "remove";

export interface MemoryStore extends ApprovalStore {
  readonly writes: readonly Write[];
  /** Run before each write; what it throws is what comes of the write. */
  before: (write: Write) => void;
  /** Run after each write has been made; what it throws is all that its writer hears. */
  after: (write: Write) => void;
  /** As kubectl would: without anybody's judgement. */
  patch(name: string, change: (approval: PallasApproval) => PallasApproval): void;
  drop(name: string): void;
}

export function createMemoryStore(): MemoryStore {
  let list: readonly PallasApproval[] = [];
  let version = 0;
  const writes: Write[] = [];
  const listeners = new Set<(names: readonly string[]) => void>();
  const find = (name: string) => list.find(({ metadata }) => metadata.name === name);
  const put = (name: string, next: PallasApproval | undefined) => {
    const others = list.filter(({ metadata }) => metadata.name !== name);
    list = [...others, ...(next === undefined ? [] : [next])].toSorted((a, b) =>
      a.metadata.name < b.metadata.name ? -1 : 1,
    );
    for (const listener of [...listeners]) listener([name]);
  };
  const versioned = (approval: PallasApproval, more: object = {}): PallasApproval => {
    version += 1;
    return { ...approval, metadata: { ...approval.metadata, ...more, resourceVersion: String(version) } };
  };
  const write = async (
    what: Write,
    seen: PallasApproval,
    change: (found: PallasApproval) => PallasApproval | undefined,
  ) => {
    await Promise.resolve();
    store.before(what);
    const found = find(seen.metadata.name);
    if (found === undefined) throw new StoreRefused("gone", "gone");
    if (found.metadata.resourceVersion !== seen.metadata.resourceVersion) throw new StoreRefused("changed", "changed");
    const changed = change(found);
    const next = changed && versioned(changed);
    writes.push(what);
    put(found.metadata.name, next);
    store.after(what);
    return next ?? found;
  };
  const store: MemoryStore = {
    writes,
    before: () => undefined,
    after: () => undefined,
    list: () => list,
    async read(name) {
      return find(name);
    },
    async create(approval) {
      await Promise.resolve();
      store.before("create");
      if (find(approval.metadata.name) !== undefined) throw new StoreRefused("taken", "taken");
      const created = versioned(approval, { uid: `uid-${version + 1}` });
      writes.push("create");
      put(created.metadata.name, created);
      store.after("create");
      return created;
    },
    decide: async (seen, decision) =>
      await write("decide", seen, (found) => ({ ...found, spec: { ...found.spec, decision } })),
    setStatus: async (seen, status) => await write("setStatus", seen, (found) => ({ ...found, status })),
    remove: async (seen) => void (await write("remove", seen, () => undefined)),
    onChange(listener) {
      const own = (names: readonly string[]) => listener(names);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    patch(name, change) {
      const found = find(name);
      if (found !== undefined) put(name, versioned(change(found)));
    },
    drop: (name) => put(name, undefined),
  };
  return store;
}
