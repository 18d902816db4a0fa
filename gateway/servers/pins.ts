// The tools of one server as somebody approved them (DSC-12): the first list is taken as approved, and what is said otherwise of a tool
// later, or of one more, is a change until it is approved. It keeps the hashes, and beside them the approved definitions as far as there
// is room, so that a change can be read; those are gone with the process, the hashes are in the server's status.
import type { pinModes } from "../../crds/server.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { hashOfTool, hashOfTools } from "./tool-hash.ts";

export type PinMode = (typeof pinModes)[number];

/** What a status holds; tools beyond it are never approved. */
export const maxPinned = 1024;
/** Of approved definitions that are kept of one server. */
const maxKeptChars = 2 * 1024 * 1024;

export interface ToolDifference {
  readonly tool: string;
  readonly change: "added" | "changed" | "removed";
  readonly pinnedHash: string | undefined;
  readonly hash: string | undefined;
  /** Absent where the approved definition is not kept, and where the tool is new or gone. */
  readonly fields?: readonly { readonly field: string; readonly old: unknown; readonly new: unknown }[];
  /** The definition as it is, where there are no fields: what is approved can be read, also of a tool that is hidden. */
  readonly now?: ToolDescription;
}

export class Pins {
  mode: PinMode = "warn";
  #pinned: ReadonlyMap<string, string> | undefined;
  #approved = new Map<string, ToolDescription>();
  #tools: ReadonlyMap<string, ToolDescription> = new Map();
  #hashes: ReadonlyMap<string, string> = new Map();
  #text = "";
  #adopted = "";

  /** What the status says was approved, by this process or another. */
  adopt(pinned: readonly { readonly name: string; readonly hash: string }[]): void {
    // The status as it was before an approval here comes again and again until that is written.
    const text = JSON.stringify(pinned.map(({ name, hash }) => [name, hash]));
    if (text === this.#adopted) return;
    this.#adopted = text;
    this.#pinned = new Map(pinned.map(({ name, hash }) => [name, hash]));
    this.#keepApproved();
  }

  /** Whether they are others than those before. */
  list(tools: readonly ToolDescription[]): boolean {
    // Most lists are as the one before, and hashes of thousands of tools take their time.
    const text = JSON.stringify(tools);
    const areOthers = text !== this.#text;
    if (areOthers) {
      this.#text = text;
      this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
      this.#hashes = new Map(tools.map((tool) => [tool.name, hashOfTool(tool)]));
    }
    if (this.mode !== "off") this.#pinned ??= new Map([...this.#hashes].slice(0, maxPinned));
    this.#keepApproved();
    return areOthers;
  }

  /** Undefined where nothing is pinned. */
  get pinned(): readonly { name: string; hash: string }[] | undefined {
    if (this.mode === "off" || this.#pinned === undefined) return undefined;
    return [...this.#pinned].map(([name, hash]) => ({ name, hash }));
  }

  /** Of all tools as they are now: what somebody approves. */
  get toolsHash(): string {
    return hashOfTools(this.#hashes);
  }

  /** Names of tools that are not as they were approved. */
  get changed(): string[] {
    const pinned = this.#pinned;
    if (this.mode === "off" || pinned === undefined) return [];
    return [...this.#hashes].flatMap(([name, hash]) => (pinned.get(name) === hash ? [] : [name]));
  }

  isHidden(tool: string): boolean {
    if (this.mode !== "block" || this.#pinned === undefined) return false;
    return this.#pinned.get(tool) !== this.#hashes.get(tool);
  }

  differences(): ToolDifference[] {
    const pinned = this.#pinned;
    if (this.mode === "off" || pinned === undefined) return [];
    const now = this.changed.map((tool): ToolDifference => {
      const [pinnedHash, hash] = [pinned.get(tool), this.#hashes.get(tool)];
      const [old, current] = [this.#approved.get(tool), this.#tools.get(tool)];
      const now = current && { now: current };
      if (pinnedHash === undefined) return { tool, change: "added", pinnedHash, hash, ...now };
      const fields = old && current && { fields: compareFields(old, current) };
      return { tool, change: "changed", pinnedHash, hash, ...(fields ?? now) };
    });
    const removed = [...pinned].flatMap(([tool, pinnedHash]): ToolDifference[] =>
      this.#hashes.has(tool) ? [] : [{ tool, change: "removed", pinnedHash, hash: undefined }],
    );
    return [...now, ...removed];
  }

  /** As the server gives it now, also where it is hidden. */
  definitionOf(tool: string): ToolDescription | undefined {
    return this.#tools.get(tool);
  }

  /** Approves all tools as they are; false where they are others than `toolsHash` says by now. */
  approve(toolsHash: string): boolean {
    if (toolsHash !== this.toolsHash) return false;
    this.#pinned = new Map([...this.#hashes].slice(0, maxPinned));
    this.#keepApproved();
    return true;
  }

  #keepApproved(): void {
    const approved = new Map<string, ToolDescription>();
    let leftChars = maxKeptChars;
    for (const [name, pinnedHash] of this.#pinned ?? []) {
      const current = this.#hashes.get(name) === pinnedHash ? this.#tools.get(name) : undefined;
      const old = this.#approved.get(name);
      const kept = current ?? (old !== undefined && hashOfTool(old) === pinnedHash ? old : undefined);
      leftChars -= kept === undefined ? 0 : JSON.stringify(kept).length;
      if (leftChars < 0) break;
      if (kept !== undefined) approved.set(name, kept);
    }
    this.#approved = approved;
  }
}

/** Field by field, an input schema's properties each by themselves. */
function compareFields(old: ToolDescription, now: ToolDescription) {
  const [before, after] = [flatten(old), flatten(now)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .filter((field) => JSON.stringify(before.get(field)) !== JSON.stringify(after.get(field)))
    .map((field) => ({ field, old: before.get(field) ?? null, new: after.get(field) ?? null }));
}

function flatten({ inputSchema, ...tool }: ToolDescription): Map<string, unknown> {
  const { properties = {}, ...schema } = inputSchema;
  return new Map<string, unknown>([
    ...Object.entries(tool),
    ...Object.entries(schema).map(([key, value]): [string, unknown] => [`inputSchema.${key}`, value]),
    ...Object.entries(properties).map(([key, value]): [string, unknown] => [`inputSchema.properties.${key}`, value]),
  ]);
}
