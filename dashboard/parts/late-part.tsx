// A part of the page whose code is loaded when it is first shown: grey rows meanwhile, and where its file is gone, since a newer page is
// there, a way to try again or to load that page.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { shellWords } from "../words/shell.ts";
import { stateWords } from "../words/states.ts";
import { Button } from "./button.tsx";
import { Empty, LoadingRows } from "./view-states.tsx";

interface LatePartProps<Props> {
  /** Called once while the part is there; one that is for something else needs a key of its own. */
  load(): Promise<ComponentType<Props>>;
  /** Shown at once, and then nothing is loaded. */
  known?: ComponentType<Props> | undefined;
  children(View: ComponentType<Props>): JSX.Element;
}

export function LatePart<Props>({ load, known, children }: LatePartProps<Props>): JSX.Element {
  const [View, setView] = useState<ComponentType<Props> | undefined>(() => known);
  const [hasFailed, setFailed] = useState(false);
  const begin = () => {
    setFailed(false);
    load().then(
      (found) => setView(() => found),
      () => setFailed(true),
    );
  };
  useEffect(() => {
    if (known === undefined) begin();
  }, []);
  if (View !== undefined) return children(View);
  if (!hasFailed) return <LoadingRows />;
  return (
    <Empty title={shellWords.newVersion}>
      <Button onPress={begin}>{stateWords.tryNow}</Button>
      <Button onPress={() => window.location.reload()}>{shellWords.reload}</Button>
    </Empty>
  );
}
