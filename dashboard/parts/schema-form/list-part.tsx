// A list of a form: items that are added, moved and removed. The focus stays with the item that was moved, and goes to the next one after
// a removal.
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { fill } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { Button } from "../button.tsx";
import { moveItem, removeItem, setItem } from "./edit-value.ts";
import { useForm, type PartProps } from "./form-context.ts";
import type { FormNode } from "./form-model.ts";
import { jsonArray, type Json } from "./json-text.ts";
import { AddPart, PartGroup } from "./part-frame.tsx";
import { JsonPart } from "./plain-parts.tsx";
import { emptyOf } from "./start-value.ts";

type ListNode = Extract<FormNode, { kind: "list" }>;

const maxItems = 50;

export function ListPart(props: PartProps & { node: ListNode }): JSX.Element {
  const { node, value, onChange, path } = props;
  if (value?.kind !== "array") return <AddPart {...props} onAdd={() => onChange(jsonArray([]))} />;
  if (value.items.length > maxItems) return <JsonPart {...props} why={fill(words.why.long, { max: maxItems })} />;
  return (
    <PartGroup {...props}>
      <Items node={node} name={props.name} path={path} items={value.items} onChange={onChange} />
    </PartGroup>
  );
}

interface ItemsProps {
  node: ListNode;
  name: string;
  path: PartProps["path"];
  items: readonly Json[];
  onChange(value: Json): void;
}

function Items({ node, name, path, items, onChange }: ItemsProps) {
  const { leave } = useForm();
  const place = useRef<HTMLDivElement>(null);
  /** Of the item that takes the focus once it is drawn. */
  const wanted = useRef<{ index: number; selector: string } | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const { index, selector } = wanted.current;
    wanted.current = undefined;
    const item = place.current?.querySelector(`:scope > [data-item="${index}"]`);
    const found =
      item?.querySelector<HTMLElement>(selector) ?? place.current?.querySelector<HTMLElement>(".form-add-item");
    found?.focus();
  });
  const change = (value: Json, index: number, selector: string) => {
    wanted.current = { index, selector };
    leave(path);
    onChange(value);
  };
  return (
    <div ref={place} class="stack">
      {items.map((item, index) => (
        <Item key={index} {...{ node, name, path, items, index, item, onChange, change }} />
      ))}
      <div>
        <Button
          look="quiet"
          icon="plus"
          class="form-add-item"
          label={fill(words.addItemLabel, { name })}
          onPress={() =>
            change(
              jsonArray([...items, emptyOf(node.item)]),
              items.length,
              "input, textarea, select, .form-parts button",
            )
          }
        >
          {words.addItem}
        </Button>
      </div>
    </div>
  );
}

interface ItemProps extends ItemsProps {
  index: number;
  item: Json;
  change(value: Json, index: number, selector: string): void;
}

function Item({ node, name, path, items, index, item, onChange, change }: ItemProps) {
  const { Part } = useForm();
  const itemName = fill(words.item, { name, n: index + 1 });
  return (
    <div class="form-item" data-item={index}>
      <div class="form-parts">
        <Part
          node={node.item}
          name={itemName}
          path={[...path, index]}
          isNeeded
          value={item}
          onChange={(changed) => onChange(setItem(items, index, changed ?? emptyOf(node.item)))}
        />
      </div>
      <div class="row form-item-actions">
        <Button
          look="quiet"
          small
          icon="up"
          class="form-up"
          label={fill(words.moveUp, { name: itemName })}
          onPress={() => change(moveItem(items, index, -1), Math.max(0, index - 1), ".form-up")}
        >
          {words.up}
        </Button>
        <Button
          look="quiet"
          small
          icon="down"
          class="form-down"
          label={fill(words.moveDown, { name: itemName })}
          onPress={() => change(moveItem(items, index, 1), Math.min(items.length - 1, index + 1), ".form-down")}
        >
          {words.down}
        </Button>
        <Button
          look="quiet"
          small
          icon="cross"
          class="form-remove"
          label={fill(words.removeItem, { name: itemName })}
          onPress={() => change(removeItem(items, index), Math.min(index, items.length - 2), ".form-remove")}
        >
          {words.remove}
        </Button>
      </div>
    </div>
  );
}
