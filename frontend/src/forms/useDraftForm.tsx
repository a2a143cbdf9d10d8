// Gives the fields of a form their draft and their labels, by name alone.
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { Violation } from "../api/problem";
import { hasTextNear, textNear } from "../i18n";
import type { Draft } from "./draft";
import { violationText } from "./texts";

interface FormContext {
  // biome-ignore lint/suspicious/noExplicitAny: a field has the type of its own value only, not of its draft
  draft: Draft<any>;
  /** Where the labels are: `${labels}.fields.title`, `${labels}.help.title`; or the place around it. */
  labels: string;
}

const Context = createContext<FormContext | null>(null);

export function DraftFields({ draft, labels, children }: FormContext & { children: ReactNode }) {
  const value = useMemo(() => ({ draft, labels }), [draft, labels]);
  return <Context value={value}>{children}</Context>;
}

export function useForm(): FormContext {
  const form = useContext(Context);
  if (!form) throw new Error("a field needs a form around it");
  return form;
}

/** The form that this belongs to, where there is one. */
export function useFormAround(): FormContext | null {
  return useContext(Context);
}

/** One value of the draft, followed. */
export function useValue<Value>(name: string): Value {
  return useDraftValue(useForm().draft, name);
}

/** The value of a field outside of a form context. */
export function useDraftValue<Value>(draft: Draft<object>, name: string): Value {
  return useSyncExternalStore(draft.subscribe, () => draft.get(name)) as Value;
}

export function useIsChanged(draft: Draft<object>): boolean {
  return useSyncExternalStore(draft.subscribe, () => draft.isChanged());
}

interface FieldState<Value> {
  value: Value;
  change: (value: Value) => void;
  leave: () => void;
  violation: Violation | undefined;
  /** What every input of the component library takes. */
  input: {
    name: string;
    label: string;
    description?: string;
    error?: string;
    required: boolean;
    withAsterisk: boolean;
    onBlur: () => void;
  };
}

export function useField<Value>(name: string): FieldState<Value> {
  useTranslation(); // Labels and errors follow the language.
  const { draft, labels } = useForm();
  const value = useValue<Value>(name);
  const violation = useSyncExternalStore(draft.subscribe, () => draft.violationOf(name));
  const leave = () => draft.leave(name);
  const help = `help.${name}`;
  const isRequired = draft.isRequired(name);
  return {
    value,
    change: (next) => draft.set(name, next),
    leave,
    violation,
    input: {
      name,
      label: textNear(labels, `fields.${name}`),
      description: hasTextNear(labels, help) ? textNear(labels, help) : undefined,
      error: violation && violationText(violation),
      required: isRequired,
      withAsterisk: isRequired,
      onBlur: leave,
    },
  };
}
