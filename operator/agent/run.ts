// One reconcile of one agent: what it reads, what it writes with, and what it has found so far. Passed explicitly
// from step to step; nothing outlives the reconcile.
import type { AgentConditionType } from "../../crds/conditions.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { WatchedAgent } from "../../plan/parse-watched.ts";
import type { Rules } from "../../plan/rules.ts";
import type { Caches } from "../caches.ts";
import type { ChildWriter, Writing } from "../children.ts";
import type { ConditionSet } from "../conditions.ts";
import type { Neighbours } from "../neighbours.ts";
import type { TokenIssuer } from "../token-issuer.ts";
import type { Images } from "../render/agent-children.ts";
import type { ImagePacing } from "../rollouts/pace-image.ts";

export interface AgentRun {
  readonly live: WatchedAgent;
  readonly caches: Caches;
  readonly neighbours: Neighbours;
  readonly children: ChildWriter;
  readonly images: Images;
  readonly tokenIssuer: Pick<TokenIssuer, "observe">;
  readonly rules: Rules;
  readonly pacing: ImagePacing;
  readonly conditions: ConditionSet<AgentConditionType>;
  readonly writing: Writing;
  readonly log: Logger;
}
