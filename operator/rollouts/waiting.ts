// Why an agent stays on the image it has, in words for people (OPR-11). Agents of other namespaces are counted and not
// named: who reads this may have no right to know of them.
import { splitKey } from "../../lib/kube/object.ts";

const namedAtMost = 3;

export interface Held {
  readonly namespace: string;
  readonly name: string;
  /** The image it has; undefined where it keeps that, and is to get pods that are made otherwise. */
  readonly image: string | undefined;
}

export interface Release {
  readonly image: string;
  readonly maxRollouts: number;
  readonly isStopped: boolean;
  /** By key. */
  readonly failed: readonly string[];
}

const renderStays = ({ image }: Held): string =>
  image === undefined ? "stays as an earlier release made it" : `stays on image ${image}`;

export const renderPaused = (held: Held): string =>
  `${renderStays(held)} while its Deployment is paused; kubectl rollout resume deployment/${held.name} -n ${held.namespace} ends that`;

export function renderWaiting(held: Held, { image, maxRollouts, isStopped, failed }: Release): string {
  const stays = renderStays(held);
  if (!isStopped) return `${stays} until fewer than ${maxRollouts} agents are on their way to ${image}`;
  return (
    `${stays}: the rollout of ${image} is stopped, because ${renderFailed(held, failed)} served before and did not ` +
    "become available with it; it goes on once they become available or are scaled to 0, or the operator gets another image"
  );
}

function renderFailed({ namespace }: Held, failed: readonly string[]): string {
  const own = failed.map(splitKey).filter((key) => key.namespace === namespace);
  const names = own.slice(0, namedAtMost).map(({ name }) => name);
  const others = failed.length - names.length;
  if (names.length === 0) return `${others} ${others === 1 ? "agent" : "agents"} of other namespaces`;
  return others > 0 ? `${names.join(", ")} and ${others} more` : names.join(", ");
}
