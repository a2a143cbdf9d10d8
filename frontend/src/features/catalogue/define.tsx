// The definition of a kind of content. All other code of its list and form is shared.
import { Badge } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";
import type { Kind } from "../../access/kinds";
import type { rules } from "../../api/rules.gen";
import { categoryName } from "../../api/storedOptions";
import type { PartialDraft } from "../../forms/draft";
import { textAt, textNear } from "../../i18n";
import { type EnumLabels, labelOf, optionsOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import type { Column } from "../../ui/list/columns";
import type { FilterChoice } from "../../ui/list/filter";
import { seldomShown } from "../../ui/list/seldomShown";
import { Dash, Moment } from "../../ui/values";
import { ActiveToggle } from "./ActiveToggle";
import type { Draft, ListedKind, Row, Stored } from "./contents";

const DayRange = seldomShown(() => import("../../forms/DayRange"));

export interface ContentDefinition<K extends Kind> {
  kind: K;
  /** The schema of its draft in the OpenAPI document, with the rules of the form. */
  schema: keyof typeof rules;
  columns: () => Column<Row<K>>[];
  filters?: () => FilterChoice[];
  /** Keys of filters whose options come from the server. */
  categoryFilter?: string;
  /** Filtered by TV guide too. */
  guideFilter?: boolean;
  blank: () => PartialDraft<Draft<K>>;
  /** The name of a row or an item in messages. */
  nameOf: (item: Row<K> | Stored<K>) => string;
  pictureOf?: (row: Row<K>) => string | null | undefined;
  /** The shape of that picture, or of one in a column of its own: a cover by default. */
  pictureSize?: "logo";
  /** Creation begins with a search in the film database. */
  lookup?: "movie" | "tv-show";
  /** The page after its creation; by default the lookup again, or the list. */
  afterCreate?: (saved: Stored<K>) => string;
  /** A text about what is deleted with an item, where it needs a request. */
  willDelete?: (row: Row<K>) => Promise<string>;
  /** The first action of its rows; by default it opens the page of the item. */
  open?: (row: Row<K>) => { label: string; to: string };
  /** What distinguishes a row from others of its name: a second line in its first column. */
  detailsOf?: (row: Row<K>) => (string | null | undefined)[];
  /** The header of its list. */
  Header?: ComponentType;
  Fields: ComponentType;
  /** The header of the form of an item that exists. `onChanged` reads the item again, keeping what was typed. */
  FormHeader?: ComponentType<{ item: Stored<K>; onChanged: () => void }>;
  /** Rendered below the form of an existing item, so that its height moves no field. */
  FormFooter?: ComponentType<{ item: Stored<K> }>;
  /** Rendered under the heading of its page. */
  Details?: ComponentType<{ item: Stored<K> }>;
  narrowForm?: boolean;
}

export function defineContent<K extends Kind>(definition: ContentDefinition<K>): ContentDefinition<K> {
  return definition;
}

type Keys<K extends ListedKind> = keyof Row<K> & string;
type Options<R> = Partial<Omit<Column<R>, "key">>;

/** The columns of one kind, by name; labels are the fields' own. */
export function columnsOf<K extends ListedKind>(kind: K) {
  type R = Row<K>;
  const label = (key: string) => textNear(`contents.${kind}`, `fields.${key}`);
  const cell = (row: R, key: string) => (row as Record<string, unknown>)[key];

  const text = (key: Keys<K>, options: Options<R> = {}): Column<R> => ({
    key,
    label: label(key),
    render: (row) => plainly(cell(row, key)),
    ...options,
  });
  return {
    text,
    /** The column that identifies the row and opens it. */
    identity: (key: Keys<K>, options: Options<R> = {}) =>
      text(key, { sortable: true, isIdentity: true, minWidth: "clamp(13rem, 20vw, 18rem)", ...options }),
    number: (key: Keys<K>, options: Options<R> = {}) =>
      text(key, {
        align: "right",
        render: (row) => {
          const value = cell(row, key);
          return typeof value === "number" ? formatNumber(value) : <Dash />;
        },
        ...options,
      }),
    /** A year is a name, not an amount: no grouping. The second line of the title says it already. */
    year: (key: Keys<K>, options: Options<R> = {}) =>
      text(key, { align: "right", sortable: true, isOptional: true, width: "5rem", edits: key, ...options }),
    moment: (key: Keys<K>, { none, ...options }: Options<R> & { none?: string } = {}) =>
      text(key, {
        sortable: true,
        width: "11.5rem",
        render: (row) => <Moment of={cell(row, key) as string | null} none={none} />,
        ...options,
      }),
    /** The first few, and how many more. */
    badges: (
      key: Keys<K>,
      of: EnumLabels,
      { shown: count = 3, ...options }: Options<R> & { shown?: number } = {},
    ) =>
      text(key, {
        onCard: true,
        needsRoom: true,
        width: "clamp(9rem, 22vw, 20rem)",
        render: (row) => <Badges values={cell(row, key) as string[]} of={of} shown={count} />,
        ...options,
      }),
    /** The category of kinds that have one. */
    category: (options: Options<R> = {}): Column<R> => ({
      key: "categoryId",
      label: textAt("contents.category"),
      width: "11rem",
      isOptional: true,
      edits: "categoryId",
      render: (row) => categoryOf(row as object) ?? <Dash />,
      ...options,
    }),
    /** Yes or no; shown on request. */
    flags: (...keys: Keys<K>[]) =>
      keys.map((key) =>
        text(key, {
          isOptional: true,
          width: "8rem",
          edits: key,
          render: (row) => textAt(cell(row, key) ? "common.yes" : "common.no"),
        }),
      ),
    /** Shown on request. */
    dates: () =>
      (["createdDate", "updatedDate"] as Keys<K>[]).map((key) =>
        text(key, {
          sortable: true,
          isOptional: true,
          width: "11.5rem",
          render: (row) => <Moment of={cell(row, key) as string | null} />,
        }),
      ),
    active: (nameOf: (row: R) => string, options: Options<R> = {}): Column<R> => ({
      key: "active",
      label: textAt("status.label"),
      sortable: true,
      onCard: true,
      width: "clamp(6rem, 13vw, 10rem)",
      render: (row) => <ActiveToggle kind={kind} row={row as R & { active: boolean }} name={nameOf(row)} />,
      ...options,
    }),
  };
}

export function activeFilter(kind: ListedKind): FilterChoice {
  return {
    key: "active",
    label: textAt("status.label"),
    options: [
      { value: "true", label: textAt("status.active"), heading: textAt(`contents.${kind}.onlyActive`) },
      { value: "false", label: textAt("status.inactive"), heading: textAt(`contents.${kind}.onlyInactive`) },
    ],
  };
}

/** The filter for missing values. */
export function missingFilter(kind: ListedKind, ...parts: string[]): FilterChoice {
  return {
    key: "missing",
    label: textAt("contents.lacking"),
    options: parts.map((value) => {
      const what = textAt(`contents.missing.${value}`);
      return {
        value,
        label: what.charAt(0).toUpperCase() + what.slice(1),
        heading: textAt("list.without", { list: textAt(`pages.${kind}`), what }),
      };
    }),
  };
}

/** Items of which this holds, or does not. */
export function flagFilter(kind: ListedKind, key: string): FilterChoice {
  return {
    key,
    label: textNear(`contents.${kind}`, `fields.${key}`),
    options: [
      { value: "true", label: textAt("common.yes") },
      { value: "false", label: textAt("common.no") },
    ],
  };
}

/** Items whose day is in a range. */
export function daysFilter(kind: ListedKind, key: string): FilterChoice {
  const label = textNear(`contents.${kind}`, `fields.${key}`);
  return { key, label, input: "days", options: [], Panel: DayRange };
}

/** Who changed an item last, and when; when it was created. */
export function changeFilters(kind: ListedKind): FilterChoice[] {
  return [
    typedFilter("updatedBy", textAt("contents.fields.updatedBy"), "text"),
    daysFilter(kind, "updatedDate"),
    daysFilter(kind, "createdDate"),
  ];
}

export function typedFilter(key: string, label: string, input: FilterChoice["input"]): FilterChoice {
  return { key, label, input, options: [] };
}

/** «2 h 16», «2 h 05», «45 min». */
export function lengthOf(minutes: number | null | undefined): string | undefined {
  if (!minutes) return undefined;
  const rest = String(minutes % 60).padStart(2, "0");
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${rest}`;
}

/** The category comes with a row of the list. */
type Categorized = { category?: Pick<Row<"categories">, "description" | "englishDescription"> | null };

export function categoryOf(row: object): string | undefined {
  const { category } = row as Categorized;
  return category ? categoryName(category) : undefined;
}

export function enumFilter(key: string, label: string, of: EnumLabels): FilterChoice {
  return { key, label, options: optionsOf(of) };
}

/** Items that have one of these genres. */
export function genreFilter(genres: EnumLabels): FilterChoice {
  return { ...enumFilter("genre", textAt("contents.genre"), genres), input: "several" };
}

function plainly(value: unknown): ReactNode {
  return value === null || value === undefined || value === "" ? <Dash /> : String(value);
}

function Badges({ values, of, shown }: { values: string[] | undefined; of: EnumLabels; shown: number }) {
  if (!values?.length) return <Dash />;
  const rest = values.slice(shown).map((value) => labelOf(of, value));
  return (
    <span className="badges">
      {values.slice(0, shown).map((value) => (
        <Badge key={value} variant="light" color="gray" tt="none" fw={500}>
          {labelOf(of, value)}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Badge variant="outline" color="gray" tt="none" title={rest.join(", ")}>
          +{rest.length}
        </Badge>
      )}
    </span>
  );
}
