// A part that can be one of several things: which one is chosen by name, and what is filled in below is of that one. What another variant
// shares with it stays when somebody changes over.
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { fill } from "../../words/fill.ts";
import { schemaFormWords as words } from "../../words/schema-form.ts";
import { useForm, type PartProps } from "./form-context.ts";
import type { FormNode } from "./form-model.ts";
import { GroupFields } from "./group-part.tsx";
import { AddPart, PartGroup } from "./part-frame.tsx";
import { emptyOf, findVariant, startOfVariant } from "./start-value.ts";

type VariantsNode = Extract<FormNode, { kind: "variants" }>;

export function VariantsPart(props: PartProps & { node: VariantsNode }): JSX.Element {
  const { node, path, value, onChange } = props;
  const { root } = useForm();
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const isRoot = path.length === 0;
  if (value === undefined && chosen === undefined) {
    const onAdd = () => {
      setChosen(0);
      onChange(startOfVariant(node.variants[0]?.node ?? node, undefined));
    };
    return <AddPart {...props} onAdd={onAdd} />;
  }
  const index = chosen ?? findVariant(root, node.variants, value);
  const inside = (
    <Chosen
      {...props}
      index={index}
      onChoose={(next) => {
        const variant = node.variants[next];
        if (variant === undefined) return;
        setChosen(next);
        onChange(startOfVariant(variant.node, value) ?? (isRoot ? emptyOf(variant.node) : undefined));
      }}
      onChange={(changed) => {
        // Left out by the part itself: the whole is not sent any more.
        setChosen(changed === undefined ? undefined : index);
        onChange(changed);
      }}
    />
  );
  if (isRoot) return <div class="stack-wide">{inside}</div>;
  return <PartGroup {...props}>{inside}</PartGroup>;
}

type ChosenProps = PartProps & { node: VariantsNode; index: number; onChoose(index: number): void };

function Chosen({ node, name, path, value, onChange, index, onChoose }: ChosenProps) {
  const { Part } = useForm();
  const id = useId();
  const variant = node.variants[index];
  const label = path.length === 0 ? words.variantOfWhole : fill(words.variant, { name });
  return (
    <>
      <div class="field">
        <label for={id} class={path.length === 0 ? "strong" : "unseen"}>
          {label}
        </label>
        <select id={id} value={String(index)} onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}>
          {node.variants.map((each, at) => (
            <option key={at} value={String(at)}>
              {each.label}
            </option>
          ))}
        </select>
      </div>
      {variant?.node.kind === "group" && value?.kind === "object" && (
        <GroupFields key={index} node={variant.node} name={name} path={path} value={value.fields} onChange={onChange} />
      )}
      {variant !== undefined && !(variant.node.kind === "group" && value?.kind === "object") && (
        <Part
          key={index}
          node={variant.node}
          name={variant.label}
          path={path}
          isNeeded
          value={value}
          onChange={onChange}
        />
      )}
    </>
  );
}
