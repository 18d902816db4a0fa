// What the server asks the person while it works: a form by the server's schema, an address that it wants opened, or a model's answer, each
// accepted or declined. A new one takes the focus only where the focus is in this view already.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ServerQuestion } from "../../data/tester.ts";
import { usePage } from "../../page.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { checkValue } from "../../parts/schema-form/check-value.ts";
import { focusPath } from "../../parts/schema-form/form-context.ts";
import { jsonString, renderJson, toJson, type Json } from "../../parts/schema-form/json-text.ts";
import { SchemaForm, startValue } from "../../parts/schema-form/schema-form.tsx";
import { useAction } from "../../parts/use-action.ts";
import { ValueText } from "../../parts/value-text.tsx";
import { useOffBecause } from "../../parts/view-states.tsx";
import { fill } from "../../words/fill.ts";
import { tellLeft } from "../../words/times.ts";
import { testerWords } from "../../words/tester.ts";
import type { Testing } from "./testing.ts";

const words = testerWords.questions;

export const QuestionCards = ({ testing }: { testing: Testing }) => (
  <>
    {testing.questions.value.map((question) => (
      <Question key={question.id} question={question} testing={testing} />
    ))}
  </>
);

interface QuestionProps {
  question: ServerQuestion;
  testing: Testing;
}

function Question({ question, testing }: QuestionProps) {
  const { time } = usePage();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const main = document.getElementById("main");
    if (main?.contains(document.activeElement) === true) heading.current?.focus();
  }, []);
  const title = question.kind === "sampling" ? words.sampling : words.title;
  return (
    <section class="card tester-question" aria-label={fill(title, { server: testing.server })}>
      <h2 ref={heading} tabIndex={-1} class="wait">
        {fill(title, { server: testing.server })}
      </h2>
      {question.message !== undefined && (
        <p class="tester-asked">
          <ValueText text={question.message} />
        </p>
      )}
      <p class="note second tabular">{fill(words.left, { left: tellLeft(question.expiresAt, time.fine.value) })}</p>
      {question.kind === "sampling" ? (
        <Sampling question={question} testing={testing} />
      ) : question.mode === "url" ? (
        <OpenAddress question={question} testing={testing} />
      ) : (
        <Elicitation question={question} testing={testing} />
      )}
    </section>
  );
}

/** The two answers, and what went wrong with them. */
function Answers({ question, testing, onAccept }: QuestionProps & { onAccept(): Json | undefined | "wrong" }) {
  const action = useAction<"accept" | "decline">();
  const offline = useOffBecause();
  return (
    <>
      <div class="row wrap">
        <Button
          offBecause={offline}
          onPress={() => {
            const content = onAccept();
            if (content !== "wrong") action.run("accept", () => testing.answer(question, "accept", content));
          }}
        >
          {words.accept}
        </Button>
        <Button
          look="red"
          offBecause={offline}
          onPress={() => action.run("decline", () => testing.answer(question, "decline"))}
        >
          {words.decline}
        </Button>
      </div>
      {action.problem !== undefined && (
        <p class="note bad" role="alert">
          {action.problem.message}
        </p>
      )}
    </>
  );
}

function Elicitation({ question, testing }: QuestionProps) {
  const { time } = usePage();
  const { requestedSchema: schema } = question;
  const [value, setValue] = useState<Json>(() => startValue(schema));
  const [wasPressed, setPressed] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const problems = useMemo(() => checkValue(schema, value), [schema, value]);
  return (
    <>
      <div ref={form}>
        <SchemaForm schema={schema} value={value} onChange={setValue} showsAll={wasPressed} />
      </div>
      <Answers
        question={question}
        testing={testing}
        onAccept={() => {
          setPressed(true);
          const [first] = problems;
          if (first === undefined) return value;
          time.after(0, () => focusPath(form.current, first.path));
          return "wrong";
        }}
      />
    </>
  );
}

const OpenAddress = ({ question, testing }: QuestionProps) => (
  <>
    <p class="note second">{words.url}</p>
    <pre class="well">
      <ValueText text={question.url ?? ""} />
    </pre>
    <div>
      <CopyButton small word={words.copyUrl} text={question.url ?? ""} />
    </div>
    <Answers question={question} testing={testing} onAccept={() => undefined} />
  </>
);

function Sampling({ question, testing }: QuestionProps) {
  const [text, setText] = useState("");
  return (
    <>
      <details class="tester-details">
        <summary>{words.asked}</summary>
        <pre class="well">
          <ValueText text={renderJson(toJson(question.params), 2)} />
        </pre>
      </details>
      <TextArea label={words.content} value={text} onInput={setText} />
      <Answers question={question} testing={testing} onAccept={() => jsonString(text)} />
    </>
  );
}
