// A warning that another item has the same value, with a link to it. It is no error: the server accepts it, but an equal
// name or id is nearly always a mistake.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Kind } from "../../access/kinds";
import { Unreadable } from "../../forms/typed";
import { useForm, useValue } from "../../forms/useDraftForm";
import { paths } from "../../routing/paths";
import { AlertIcon } from "../../ui/icons";
import type { PlayableKind, Row } from "./contents";
import { matchingQuery } from "./uses";

interface ValueTwinProps<K extends Kind> {
  kind: K;
  /** The value that should be unique. */
  value: string;
  /** The item that is edited; without one, it is new. */
  ownId: number | undefined;
  /** The field that the list is filtered by. */
  name: string;
  nameOf: (row: Row<K>) => string;
  text: (name: string, value: string) => string;
  /** The filters of the list; by default, the field with this value. Undefined: no request. */
  filters?: (value: string) => Record<string, string | number> | undefined;
  /** Which of the rows found have it, where the list finds more than those. */
  isTwin?: (row: Row<K>, value: string) => boolean;
}

/** The twin of what is in a field of the item's form. */
export function Twin<K extends Kind>(props: Omit<ValueTwinProps<K>, "value" | "ownId">) {
  const { draft } = useForm();
  const typed = useValue<unknown>(props.name);
  const value = typed instanceof Unreadable ? "" : String(typed ?? "").trim();
  return <ValueTwin {...props} value={value} ownId={draft.get("id") as number | undefined} />;
}

function ValueTwin<K extends Kind>(props: ValueTwinProps<K>) {
  const { kind, value, ownId, name, nameOf, text, filters, isTwin } = props;
  const [settled] = useDebouncedValue(value, 300);
  const wanted = settled && (filters ? filters(settled) : { [name]: settled });
  const found = useQuery({ ...matchingQuery(kind, wanted || {}), enabled: Boolean(wanted) });
  return (
    <FoundTwin
      value={value}
      settled={settled}
      rows={found.data?.content}
      ownId={ownId}
      isTwin={isTwin}
      nameOf={nameOf}
      addressOf={({ id }) => paths.editContent(kind, id)}
      text={text}
    />
  );
}

interface FoundTwinProps<R extends { id: number }> {
  /** As it is typed. */
  value: string;
  /** The value of the last search. */
  settled: string;
  /** The result of the search. */
  rows: readonly R[] | undefined;
  ownId: number | undefined;
  isTwin?: (row: R, value: string) => boolean;
  nameOf: (row: R) => string;
  addressOf: (row: R) => string;
  text: (name: string, value: string) => string;
}

/** The name of another found item that has the typed value. */
export function FoundTwin<R extends { id: number }>(props: FoundTwinProps<R>) {
  const { value, settled, rows, ownId, isTwin, nameOf, addressOf, text } = props;
  const twin = rows?.find((row) => row.id !== ownId && (!isTwin || isTwin(row, settled)));
  if (!twin || value !== settled) return <output className="visually-hidden" />;
  return <TwinWarning name={nameOf(twin)} to={addressOf(twin)} text={(name) => text(name, settled)} />;
}

/** The warning, where `text` puts the name; the name leads to the item. */
function TwinWarning({ name, to, text }: { name: string; to: string; text: (name: string) => string }) {
  const [before = "", after = ""] = text("\u0000").split("\u0000");
  return (
    <output className="form-warning">
      <AlertIcon size={16} />
      <span>
        {before}
        {/* In a tab of its own: what is typed here stays. */}
        <Link to={to} target="_blank" rel="noopener">
          {name}
        </Link>
        {after}
      </span>
    </output>
  );
}

/** Names another item whose link has this address. */
export function LinkTwin({
  kind,
  ownId,
  url,
}: {
  kind: PlayableKind;
  ownId: number | undefined;
  url: string;
}) {
  const { t } = useTranslation();
  return (
    <ValueTwin
      kind={kind}
      name="linkUrl"
      value={url}
      ownId={ownId}
      nameOf={(twin) => twin.title}
      text={(twin) => t("contents.urlUsed", { name: twin })}
    />
  );
}
