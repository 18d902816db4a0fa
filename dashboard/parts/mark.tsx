// The state of an agent, a server or a run: shape and word carry it, colour only helps. `isShort`: in narrow lists the word is for screen
// readers alone.
import { stateWords } from "../words/states.ts";
import { Icon, type IconName } from "./icon.tsx";

export const marks = ["ready", "degraded", "error", "starting", "off", "waits"] as const;
export type MarkState = (typeof marks)[number];

const looks = {
  ready: { icon: "ready", colour: "ok" },
  degraded: { icon: "degraded", colour: "warn" },
  error: { icon: "error", colour: "bad" },
  starting: { icon: "starting", colour: "accent" },
  off: { icon: "off", colour: "off" },
  waits: { icon: "approvals", colour: "wait" },
} as const satisfies Record<MarkState, { icon: IconName; colour: string }>;

export const colourOf = (state: MarkState): string => looks[state].colour;

export const Mark = ({ state, word, isShort }: { state: MarkState; word?: string; isShort?: boolean }) => (
  <span class={`mark ${looks[state].colour}`}>
    <Icon name={looks[state].icon} />
    <span class={isShort === true ? "mark-word short" : "mark-word"}>{word ?? stateWords[state]}</span>
  </span>
);

export type ChipLook = "neutral" | "wait" | "warn" | "bad" | "ok" | "accent";

export const Chip = ({ look = "neutral", icon, children }: { look?: ChipLook; icon?: IconName; children: string }) => (
  <span class={`chip ${look}`}>
    {icon !== undefined && <Icon name={icon} />}
    <span class="cut">{children}</span>
  </span>
);
