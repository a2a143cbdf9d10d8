// Says that another item has what was typed already, and leads to it. No error: the server takes it, but for a name or
// an id it is nearly always a slip.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "../../app/paths";
import { Unreadable } from "../../forms/typed";
import { useForm, useValue } from "../../forms/useDraftForm";
import { AlertIcon } from "../../ui/icons";
import type { Row } from "./contents";
import type { Kind } from "./kinds";
import { matchingQuery } from "./uses";

interface TwinProps<K extends Kind> {
  kind: K;
  /** The field whose value must be nobody else's. */
  name: string;
  nameOf: (row: Row<K>) => string;
  text: (name: string, value: string) => string;
  /** What the list is asked for; by itself, the field with this value. Undefined where there is nothing to ask. */
  filters?: (value: string) => Record<string, string | number> | undefined;
  /** Which of the rows found have it, where the list finds more than those. */
  isTwin?: (row: Row<K>, value: string) => boolean;
}

export function Twin<K extends Kind>({ kind, name, nameOf, text, filters, isTwin }: TwinProps<K>) {
  const { draft } = useForm();
  const typed = useValue<unknown>(name);
  const value = typed instanceof Unreadable ? "" : String(typed ?? "").trim();
  const [settled] = useDebouncedValue(value, 300);
  const wanted = settled && (filters ? filters(settled) : { [name]: settled });
  const found = useQuery({ ...matchingQuery(kind, wanted || {}), enabled: Boolean(wanted) });
  const twin = found.data?.content.find(
    (row) => row.id !== draft.get("id") && (!isTwin || isTwin(row, settled)),
  );
  if (!wanted || !twin || value !== settled) return <output className="visually-hidden" />;
  const said = nameOf(twin);
  const [before = "", after = ""] = text("\u0000", settled).split("\u0000");
  return (
    <output className="form-warning">
      <AlertIcon size={16} />
      <span>
        {before}
        {/* In a tab of its own: what is typed here stays. */}
        <Link to={paths.editContent(kind, twin.id)} target="_blank" rel="noopener">
          {said}
        </Link>
        {after}
      </span>
    </output>
  );
}
