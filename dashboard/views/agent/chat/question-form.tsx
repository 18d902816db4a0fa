// What an agent, or a server behind it, asks the person amid an answer: a form by its schema, with who asks. Never a password.
import { useState } from "preact/hooks";
import * as z from "zod";
import { Button } from "../../../parts/button.tsx";
import { checkValue } from "../../../parts/schema-form/check-value.ts";
import { renderJson, type Json } from "../../../parts/schema-form/json-text.ts";
import { SchemaForm, startValue } from "../../../parts/schema-form/schema-form.tsx";
import { ValueText } from "../../../parts/value-text.tsx";
import { chatWords as words } from "../../../words/chat.ts";
import { fill } from "../../../words/fill.ts";
import type { Asked } from "./open-chat.ts";

const emptySchema = { type: "object", properties: {} };

const contentSchema = z.record(z.string(), z.unknown());
const plainOf = (value: Json) => contentSchema.parse(JSON.parse(renderJson(value)));

export function QuestionForm({ agent, question }: { agent: string; question: Asked }) {
  const schema = question.schema ?? emptySchema;
  const [value, setValue] = useState(() => startValue(schema));
  const [showsAll, setShowsAll] = useState(false);
  const answer = () => {
    if (checkValue(schema, value).length > 0) return setShowsAll(true);
    return question.answer({ action: "accept", content: plainOf(value) });
  };
  return (
    <section class="chat-question card pad stack-wide" aria-label={fill(words.question, { agent })}>
      <h3>{fill(words.question, { agent })}</h3>
      <p>
        <ValueText text={question.message} />
      </p>
      <SchemaForm schema={schema} value={value} onChange={setValue} showsAll={showsAll} />
      <div class="row">
        <Button look="filled" onPress={answer}>
          {words.answer}
        </Button>
        <Button onPress={() => question.answer({ action: "decline" })}>{words.decline}</Button>
      </div>
    </section>
  );
}
