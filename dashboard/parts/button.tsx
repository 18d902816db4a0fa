// Buttons and links that look like them. One that cannot be pressed now stays in its place, can be reached by the keyboard, and says why:
// `offBecause`. While it works its word changes and its width stays.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export type ButtonLook = "filled" | "plain" | "quiet" | "red";

export interface ButtonProps {
  look?: ButtonLook;
  icon?: IconName | undefined;
  /** Why it does nothing now: shown, and told. */
  offBecause?: string | undefined;
  onPress: (event: MouseEvent) => void;
  /** Beside what is seen, where that is too short to be understood alone; begins with the words that are seen. */
  label?: string | undefined;
  pressed?: boolean | undefined;
  expanded?: boolean | undefined;
  small?: boolean | undefined;
  /** The key that moves the focus here or presses it, shown at its end. */
  keyHint?: string | undefined;
  type?: "button" | "submit";
  id?: string;
  class?: string;
  children: ComponentChildren;
}

export function Button(props: ButtonProps): JSX.Element {
  const { look = "plain", icon, offBecause, onPress, label, pressed, expanded, small, keyHint, children } = props;
  const reasonId = useId();
  const isOff = offBecause !== undefined;
  return (
    <>
      <button
        type={props.type ?? "button"}
        class={`button ${look} ${small === true ? "small" : ""} ${props.class ?? ""}`}
        aria-disabled={isOff}
        {...(isOff && { "aria-describedby": reasonId, title: offBecause })}
        {...(label !== undefined && { "aria-label": label })}
        {...(pressed !== undefined && { "aria-pressed": pressed })}
        {...(expanded !== undefined && { "aria-expanded": expanded })}
        {...(props.id !== undefined && { id: props.id })}
        onClick={(event) => {
          if (isOff) event.preventDefault();
          else onPress(event);
        }}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children}
        {keyHint !== undefined && <kbd aria-hidden="true">{keyHint}</kbd>}
      </button>
      {isOff && (
        <span id={reasonId} class="unseen">
          {offBecause}
        </span>
      )}
    </>
  );
}

export const ButtonLink = ({
  href,
  icon,
  look = "plain",
  children,
}: {
  href: string;
  icon?: IconName;
  look?: ButtonLook;
  children: ComponentChildren;
}) => (
  <a class={`button ${look}`} href={href}>
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </a>
);
