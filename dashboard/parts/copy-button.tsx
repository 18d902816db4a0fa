// Copies a text. The button says that it did, for a moment, and also to screen readers; where the browser does not allow it, it says that.
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { usePage } from "../page.ts";
import { stateWords as words } from "../words/states.ts";
import { Button } from "./button.tsx";

const shownMs = 2_000;

interface CopyButtonProps {
  /** The words of the button. */
  word: string;
  text: string;
  small?: boolean;
}

export function CopyButton({ word, text, small = false }: CopyButtonProps): JSX.Element {
  const { announcer, time } = usePage();
  const [told, setTold] = useState<string | undefined>(undefined);
  const cancel = useRef(() => {});
  useEffect(() => () => cancel.current(), []);
  const tell = (sentence: string) => {
    cancel.current();
    setTold(sentence);
    announcer.say(sentence);
    cancel.current = time.after(shownMs, () => setTold(undefined));
  };
  const copy = () => {
    writeClipboard(text).then(
      () => tell(words.copied),
      () => tell(words.cannotCopy),
    );
  };
  return (
    <Button icon={told === words.copied ? "check" : "copy"} small={small} onPress={copy}>
      {told ?? word}
    </Button>
  );
}

/** There is no clipboard where the page came without TLS from another machine. */
async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
