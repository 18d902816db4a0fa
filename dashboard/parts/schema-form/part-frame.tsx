// What stands around each part of a form: its name, its type and bounds, whether it is sent, the schema's words about it, what is wrong
// with it, and the ways to leave it out or to send null.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { fill } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { Button } from "../button.tsx";
import { Icon } from "../icon.tsx";
import { ValueText } from "../value-text.tsx";
import { pointerOf, useForm, type PartProps } from "./form-context.ts";
import { jsonNull, jsonString, renderJson } from "./json-text.ts";

export interface TiedControl {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
  onBlur(): void;
}

/** "number, needed, 0.01 to 50,000". */
function tellAside({ node, isNeeded, value, path }: PartProps): string {
  const [type, ...bounds] = node.facts;
  const state =
    value === undefined
      ? isNeeded
        ? words.needed
        : words.notSent
      : value.kind === "string" && value.text === "" && node.kind === "text"
        ? words.sentAsEmpty
        : isNeeded && path.length > 0
          ? words.needed
          : undefined;
  const fallback =
    node.fallback === undefined ? undefined : fill(words.defaultIs, { value: renderJson(node.fallback).slice(0, 80) });
  return [type, state, ...bounds, fallback].filter((each) => each !== undefined).join(", ");
}

/** To leave it out again, and to send null where that may be. */
function PartActions({ node, name, isNeeded, value, onChange }: PartProps): JSX.Element {
  return (
    <>
      {node.isNullable && value?.kind !== "null" && (
        <Button look="quiet" small label={fill(words.sendNullField, { name })} onPress={() => onChange(jsonNull)}>
          {words.sendNull}
        </Button>
      )}
      {!isNeeded && value !== undefined && (
        <Button look="quiet" small label={fill(words.dontSendField, { name })} onPress={() => onChange(undefined)}>
          {words.dontSend}
        </Button>
      )}
    </>
  );
}

function Notes({ id, description, error }: { id: string; description: string | undefined; error: string | undefined }) {
  return (
    <>
      {description !== undefined && description !== "" && (
        <p id={`${id}-note`} class="note second form-note">
          <ValueText text={description} />
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="note bad row form-error">
          <Icon name="error" /> <span>{error}</span>
        </p>
      )}
    </>
  );
}

/** Around one control. */
export function PartField(
  props: PartProps & { hasActions?: boolean; children: (tied: TiedControl) => ComponentChildren },
) {
  const { node, name, path, children } = props;
  const form = useForm();
  const id = useId();
  const error = form.problemAt(path);
  const hasNote = node.description !== undefined && node.description !== "";
  const described = [`${id}-aside`, hasNote && `${id}-note`, error !== undefined && `${id}-error`];
  return (
    <div class={error === undefined ? "field form-part" : "field form-part has-error"} data-pointer={pointerOf(path)}>
      <div class="row wrap form-head">
        <label for={id} class="strong">
          <ValueName name={name} title={node.title} />
        </label>
        <span id={`${id}-aside`} class="note second">
          {tellAside(props)}
        </span>
        <span class="space" />
        {props.hasActions !== false && <PartActions {...props} />}
      </div>
      {children({
        id,
        "aria-describedby": described.filter(Boolean).join(" "),
        ...(error !== undefined && { "aria-invalid": true }),
        onBlur: () => form.leave(path),
      })}
      <Notes id={id} description={node.description} error={error} />
    </div>
  );
}

const ValueName = ({ name, title }: { name: string; title: string | undefined }) => (
  <bdi>
    {name}
    {title !== undefined && title.toLowerCase() !== name.toLowerCase() && <span class="form-title"> {title}</span>}
  </bdi>
);

/** Around several parts, or around radio buttons. */
export function PartGroup(props: PartProps & { isPlain?: boolean; hasActions?: boolean; children: ComponentChildren }) {
  const { node, name, path, isPlain, children } = props;
  const form = useForm();
  const id = useId();
  const error = form.problemAt(path);
  return (
    <fieldset
      class={isPlain === true ? "field form-part" : "form-group"}
      data-pointer={pointerOf(path)}
      aria-describedby={error === undefined ? `${id}-note` : `${id}-note ${id}-error`}
    >
      <legend class="unseen">{name}</legend>
      <div class="row wrap form-head">
        <span class="strong" aria-hidden="true">
          <ValueName name={name} title={node.title} />
        </span>
        <span class="note second">{tellAside(props)}</span>
        <span class="space" />
        {props.hasActions !== false && <PartActions {...props} />}
      </div>
      <Notes id={id} description={node.description} error={error} />
      {children}
    </fieldset>
  );
}

/** In place of a part that consists of others and is not sent. */
export function AddPart({ name, node, path, isNeeded, onAdd }: PartProps & { onAdd(): void }) {
  const error = useForm().problemAt(path);
  return (
    <div class="form-add" data-pointer={pointerOf(path)}>
      <Button look="quiet" icon="plus" label={fill(words.addFieldLabel, { name })} onPress={onAdd}>
        {name}
        <span class="note second form-add-aside">{`${node.facts[0] ?? ""}, ${isNeeded ? words.needed : words.notSent}`}</span>
      </Button>
      {error !== undefined && (
        <p class="note bad row form-error">
          <Icon name="error" /> <span>{error}</span>
        </p>
      )}
    </div>
  );
}

/** Null stands where something else could be written. */
export function NullPart(props: PartProps) {
  const { name, onChange } = props;
  return (
    <PartGroup {...props} isPlain>
      <div class="row">
        <span class="well mono">{words.sentAsNull}</span>
        <Button
          look="quiet"
          small
          label={fill(words.writeValueField, { name })}
          onPress={() => onChange(props.node.kind === "text" ? jsonString("") : undefined)}
        >
          {words.writeValue}
        </Button>
      </div>
    </PartGroup>
  );
}
