// What needs this person now, from the three resources that say it. While somebody points at what stands below, or has the focus there,
// no card comes or goes, since that would move it.
import { useEffect, useRef, useState } from "preact/hooks";
import { serversResource, serversUri } from "../../data/servers.ts";
import type { ShownAgent } from "../../data/agents.ts";
import { usePage, useResource } from "../../page.ts";
import { usePending } from "../../shell/waiting.ts";
import { findNeeds, type Need } from "./needs.ts";

/** How long the view waits for what stands above the table, so that the table does not move when it comes. */
const settleMs = 1_500;

export interface Needs {
  readonly needs: readonly Need[];
  /** Whether they are known, or have taken too long. */
  readonly isSettled: boolean;
  readonly holds: {
    onPointerEnter(): void;
    onPointerLeave(): void;
    onFocusIn(): void;
    onFocusOut(): void;
  };
}

export function useNeeds(agents: readonly ShownAgent[]): Needs {
  const { time } = usePage();
  const approvals = usePending().value;
  const servers = useResource(serversUri, serversResource).value;
  const [isLate, setLate] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const shown = useRef<readonly Need[]>([]);
  useEffect(() => time.after(settleMs, () => setLate(true)), [time]);
  const isKnown = [approvals, servers].every(({ data, problem }) => data !== undefined || problem !== undefined);
  const found = findNeeds({ approvals: approvals.data ?? [], agents, servers: servers.data ?? [] });
  const needs = isHeld && !hasSameKinds(found, shown.current) ? shown.current : found;
  useEffect(() => {
    shown.current = needs;
  });
  return {
    needs,
    isSettled: isKnown || isLate,
    holds: {
      onPointerEnter: () => setHeld(true),
      onPointerLeave: () => setHeld(false),
      onFocusIn: () => setHeld(true),
      onFocusOut: () => setHeld(false),
    },
  };
}

const hasSameKinds = (a: readonly Need[], b: readonly Need[]): boolean =>
  a.length === b.length && a.every(({ kind }, index) => kind === b[index]?.kind);
