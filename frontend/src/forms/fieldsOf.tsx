// The fields by which a content type writes its form. Names are checked by the compiler: a number field does not
// accept the name of a text. The inputs themselves are fetched with the first form.
import type { ReactNode } from "react";
import { lazyPart } from "../loading/lazyPart";
import type { FieldProps } from "./fieldProps";
import type * as Fields from "./fields";

type NamesOf<D, Value> = {
  [Name in keyof D]-?: NonNullable<D[Name]> extends Value ? Name : never;
}[keyof D] &
  string;

type Typed<Props, D, Value> = (props: Props & { name: NamesOf<D, Value> }) => ReactNode;

type PropsOf<Field> = Field extends (props: infer Props) => ReactNode ? Props : never;

/** A field fetched when a form first shows it. */
export function lazyField<Props extends FieldProps>(
  load: () => Promise<(props: Props) => ReactNode>,
): (props: Props) => ReactNode {
  return lazyPart(async () => ({ default: await load() }));
}

function field<Name extends keyof typeof Fields>(name: Name) {
  type Props = PropsOf<(typeof Fields)[Name]>;
  return lazyField<Props & FieldProps>(
    async () => (await import("./fields"))[name] as (props: Props) => ReactNode,
  );
}

const fields = {
  Text: field("TextField"),
  LongText: field("LongTextField"),
  Amount: field("NumberField"),
  Choice: field("ChoiceField"),
  Choices: field("ChoicesField"),
  Flag: field("FlagField"),
  Day: lazyField<FieldProps>(async () => (await import("./DateField")).DateField),
};

/** Makes a field take only names whose values it can edit. */
export function typed<D, Value>() {
  return <Props extends FieldProps>(Field: (props: Props) => ReactNode): Typed<Props, D, Value> => Field;
}

/** The fields for one kind of draft. */
export function fieldsOf<D>() {
  return {
    Text: typed<D, string>()(fields.Text),
    LongText: typed<D, string>()(fields.LongText),
    Amount: typed<D, number>()(fields.Amount),
    Choice: typed<D, string>()(fields.Choice),
    Choices: typed<D, readonly string[]>()(fields.Choices),
    Flag: typed<D, boolean>()(fields.Flag),
    Day: typed<D, string>()(fields.Day),
  };
}
