// What all fields of one form share: the schema that they are part of, what is wrong at which place, which were left, and how a part is
// drawn, so that groups can hold groups without importing each other.
import { createContext, type ComponentType } from "preact";
import { useContext } from "preact/hooks";
import type { ValuePath } from "./check-value.ts";
import type { FormNode } from "./form-model.ts";
import type { Json } from "./json-text.ts";

export interface PartProps {
  node: FormNode;
  name: string;
  path: ValuePath;
  isNeeded: boolean;
  /** Undefined: not sent. */
  value: Json | undefined;
  onChange(value: Json | undefined): void;
}

export interface FormShared {
  readonly root: unknown;
  /** What is wrong there, where it is to be shown. */
  problemAt(path: ValuePath): string | undefined;
  leave(path: ValuePath): void;
  readonly Part: ComponentType<PartProps>;
}

const FormContext = createContext<FormShared | undefined>(undefined);
export const FormProvider = FormContext.Provider;

export function useForm(): FormShared {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error("expected to be inside of FormProvider, found no form");
  return form;
}

/** As JSON Pointer has it. */
export const pointerOf = (path: ValuePath): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Moves the focus to where the problem is, or to the nearest place around it that can take it. */
export function focusPath(form: HTMLElement | null, path: ValuePath): void {
  for (let length = path.length; length >= 0; length -= 1) {
    const place = form?.querySelector(`[data-pointer="${CSS.escape(pointerOf(path.slice(0, length)))}"]`);
    const control = place?.querySelector<HTMLElement>("input, textarea, select, button");
    if (control === null || control === undefined) continue;
    control.focus();
    control.scrollIntoView({ block: "center" });
    return;
  }
}
