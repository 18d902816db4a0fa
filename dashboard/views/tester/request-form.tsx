// A form for one request: filled in, checked when it is to be sent, and sent. What has problems is not sent by the first press, which leads to
// the first of them; the server may be asked with it all the same. What says that it may delete is asked for once more.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { checkValue, type ValueProblem } from "../../parts/schema-form/check-value.ts";
import { focusPath } from "../../parts/schema-form/form-context.ts";
import { hasDraft, type Json } from "../../parts/schema-form/json-text.ts";
import { SchemaForm, startValue } from "../../parts/schema-form/schema-form.tsx";
import { NeedsRole, useOffBecause } from "../../parts/view-states.tsx";
import { fill, plural } from "../../words/fill.ts";
import { testerWords as words } from "../../words/tester.ts";
import { ConfirmCall } from "./confirm-call.tsx";
import { keepDraft, type RequestOrigin } from "./memory.ts";
import { SentDetails } from "./sent-details.tsx";
import type { Request } from "./sent-message.ts";
import { draftKey, type Testing } from "./testing.ts";

export interface RequestFormProps {
  testing: Testing;
  origin: Pick<RequestOrigin, "kind" | "name">;
  schema: unknown;
  toRequest(value: Json): Request;
  /** Of the button. */
  word: string;
  isDestructive?: boolean;
  offBecause: string | undefined;
  heading: ComponentChildren;
  /** Where there is nothing to fill in. */
  hidesForm?: boolean;
  /** Beside the button. */
  beside?: ComponentChildren;
  /** What the value comes to. */
  tell?: (value: Json | undefined) => ComponentChildren;
  /** Between heading and form. */
  children: ComponentChildren;
}

function useDraft({ testing, origin, schema }: RequestFormProps): [Json, (value: Json) => void] {
  const key = draftKey(testing.server, origin.kind, origin.name);
  const [value, setValue] = useState<Json>(() => testing.memory.drafts.get(key) ?? startValue(schema));
  return [
    value,
    (changed) => {
      keepDraft(testing.memory, key, changed);
      setValue(changed);
    },
  ];
}

type Step = "filling" | "corrections" | "confirming";

interface FillingIn {
  readonly value: Json;
  readonly step: Step;
  readonly problems: readonly ValueProblem[];
  readonly showsAll: boolean;
  readonly isDraft: boolean;
  readonly isWorking: boolean;
  readonly offBecause: string | undefined;
  change(value: Json): void;
  press(): void;
  /** Whatever is wrong with it. */
  sendOrAsk(): void;
  send(): void;
  leave(): void;
}

function useFillingIn(props: RequestFormProps, section: RefObject<HTMLElement | null>): FillingIn {
  const { testing, origin, schema, toRequest, isDestructive = false } = props;
  const [value, setValue] = useDraft(props);
  const [step, setStep] = useState<Step>("filling");
  const [showsAll, setShowsAll] = useState(false);
  const { announcer, time } = usePage();
  const problems = useMemo(() => checkValue(schema, value), [schema, value]);
  const offline = useOffBecause();
  const isWorking = testing.running.value !== undefined;
  const send = () => {
    setStep("filling");
    void testing.run(toRequest(value), { ...origin, value });
  };
  const sendOrAsk = () => (isDestructive ? setStep("confirming") : send());
  return {
    ...{ value, step, problems, showsAll, isWorking, send, sendOrAsk },
    isDraft: hasDraft(value),
    offBecause: offline ?? props.offBecause ?? (isWorking ? words.working : undefined),
    change(changed) {
      setStep("filling");
      setValue(changed);
    },
    press() {
      setShowsAll(true);
      const [first] = problems;
      if (first === undefined) return sendOrAsk();
      setStep("corrections");
      announcer.sayNow(tellProblems(problems));
      // Once what is wrong is on screen.
      time.after(0, () => focusPath(section.current, first.path));
      return undefined;
    },
    leave() {
      setStep("filling");
      time.after(0, () => section.current?.querySelector<HTMLElement>(".tester-call")?.focus());
    },
  };
}

export function RequestForm(props: RequestFormProps): JSX.Element {
  const { testing, origin, schema, toRequest, hidesForm = false } = props;
  const section = useRef<HTMLElement>(null);
  const filling = useFillingIn(props, section);
  const { value, step, offBecause } = filling;
  return (
    <section
      ref={section}
      class="card tester-form"
      aria-label={origin.name}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || step === "confirming") return;
        event.preventDefault();
        if (offBecause === undefined) filling.press();
      }}
    >
      {hidesForm ? (
        <>
          {props.heading}
          {props.children}
        </>
      ) : (
        <SchemaForm
          heading={props.heading}
          intro={props.children}
          schema={schema}
          value={value}
          showsAll={filling.showsAll}
          onChange={filling.change}
        />
      )}
      {props.tell?.(value)}
      <NeedsRole needed="caller" action={words.needsCaller}>
        {step === "confirming" ? (
          <ConfirmCall name={origin.name} onConfirm={filling.send} onLeave={filling.leave} />
        ) : (
          <Actions filling={filling} testing={testing} word={props.word} beside={props.beside} />
        )}
        <p class="note second">{origin.kind === "tools" ? `${words.policyNote} ${words.keys}` : words.keys}</p>
      </NeedsRole>
      {!filling.isDraft && <SentDetails server={testing.server} request={toRequest(value)} />}
    </section>
  );
}

function Actions({
  filling,
  testing,
  word,
  beside,
}: Pick<RequestFormProps, "testing" | "word" | "beside"> & { filling: FillingIn }) {
  const { step, problems, isDraft, isWorking, offBecause } = filling;
  const isCorrected = step !== "corrections" || problems.length === 0;
  return (
    <>
      <div class="row wrap">
        <Button look="filled" offBecause={offBecause} onPress={filling.press} class="tester-call">
          {isWorking ? words.working : word}
        </Button>
        {isWorking && <Button onPress={() => testing.stop()}>{words.stop}</Button>}
        {!isCorrected && (
          <Button offBecause={isDraft ? words.draftFirst : offBecause} onPress={filling.sendOrAsk}>
            {words.sendAnyway}
          </Button>
        )}
        {beside}
      </div>
      {!isCorrected && <p class="note bad">{tellProblems(problems)}</p>}
    </>
  );
}

function tellProblems(problems: readonly ValueProblem[]): string {
  const [first] = problems;
  const place = first === undefined || first.path.length === 0 ? words.theValue : first.path.join(".");
  return plural(words.corrections, problems.length, {
    first: fill(`${place}. {message}`, { message: first?.message ?? "" }),
  });
}
