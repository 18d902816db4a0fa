// What a server wrote to standard error of late, as the bridge before it keeps it: read when the log is opened, and again when somebody
// says so, since the gateway does not hear of it.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import * as z from "zod";
import { serverPath } from "../../data/servers.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { LoadingRows, NeedsRole } from "../../parts/view-states.tsx";
import { fill } from "../../words/fill.ts";
import { serverWords as words } from "../../words/servers.ts";
import { LogBox } from "./log-box.tsx";

const linesSchema = z.looseObject({ lines: z.array(z.string()) });

export const ServerErrors = ({ name }: { name: string }): JSX.Element => (
  <section class="section servers-log">
    <h2>{words.errorsHeading}</h2>
    <NeedsRole needed="operator" action={words.needs.errors}>
      <Lines name={name} />
    </NeedsRole>
  </section>
);

function Lines({ name }: { name: string }): JSX.Element {
  const { rest } = usePage();
  const box = useRef<HTMLDivElement>(null);
  const { data, problem, again } = useAnswer(name, (signal) =>
    rest({ path: serverPath(name, "stderr"), schema: linesSchema, signal }),
  );
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [data]);
  return (
    <>
      <p class="note second">{words.errorsNote}</p>
      {data === undefined && problem === undefined && <LoadingRows rows={3} />}
      {problem !== undefined && (
        <p class={problem.kind === "gone" ? "second" : "bad"}>
          <ValueText text={problem.message} />
        </p>
      )}
      {data?.lines.length === 0 && <p class="second">{fill(words.errorsEmpty, { name })}</p>}
      {data !== undefined && data.lines.length > 0 && (
        <LogBox box={box} label={fill(words.errorsRegion, { name })}>
          {data.lines.map((line, index) => (
            <p key={index} class="servers-log-line">
              <ValueText text={line} />
            </p>
          ))}
        </LogBox>
      )}
      <p>
        <Button small onPress={again}>
          {words.errorsAgain}
        </Button>
      </p>
    </>
  );
}
