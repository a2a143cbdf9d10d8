// A value that is edited in its cell. Enter saves, Esc leaves it, Tab saves and goes to the next row. The rules are those
// of the form; after a conflict, both values are shown and the typed text stays.
import { Button, Group, MultiSelect } from "@mantine/core";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useUser } from "../../../access/session";
import type { EditorProps } from "../../../ui/list/useCells";
import type { ListedKind, Row } from "../contents";
import "../../../forms/mantine-forms.css";
import "./inline.css";
import { toast } from "../../../ui/toast";
import { useCellDraft } from "./useCellDraft";
import { type CellDefinition, type CellValue, useCellOptions } from "./useCellOptions";

interface CellEditorProps<K extends ListedKind> extends EditorProps<Row<K>> {
  definition: CellDefinition<K>;
}

export default function CellEditor<K extends ListedKind>({
  definition,
  row,
  column,
  onDone,
}: CellEditorProps<K>) {
  const { t } = useTranslation();
  const field = column.edits ?? column.key;
  const options = useCellOptions(definition, field);
  const draft = useCellDraft(definition, row, field);
  const messageId = useId();
  const box = useRef<HTMLSpanElement>(null);
  /** A cell that is left is saved once. */
  const isLeaving = useRef(false);
  /** The choices of a field of several are open: Enter and Esc are theirs. */
  const hasOpenChoices = useRef(false);

  useEffect(() => {
    const control = box.current?.querySelector<HTMLInputElement | HTMLSelectElement>("input, select");
    control?.focus();
    if (control instanceof HTMLInputElement) control.select();
  }, []);

  const sayNotSaved = () =>
    toast.failure(
      t("form.notSaved"),
      t("cell.notSaved", { field: column.label, name: definition.nameOf(row) }),
    );
  const isUnsaved = useRef(false);
  isUnsaved.current = draft.isChanged || draft.error !== undefined || draft.conflict !== undefined;
  const sayNotSavedLatest = useRef(sayNotSaved);
  sayNotSavedLatest.current = sayNotSaved;
  // Where another cell is edited, or the row leaves the list, this editor goes with its message and what was typed.
  useEffect(
    () => () => {
      if (isUnsaved.current && !isLeaving.current) sayNotSavedLatest.current();
    },
    [],
  );

  const finish = async (rows: -1 | 0 | 1) => {
    if (isLeaving.current) return;
    isLeaving.current = true;
    if (await draft.save()) return onDone(rows);
    isLeaving.current = false;
    if (!box.current) sayNotSaved();
    setTimeout(() => box.current?.querySelector<HTMLElement>("input, select")?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isControl = (event.target as HTMLElement).matches("input, select");
    if (event.key === "Tab" && isControl && !draft.conflict) {
      event.preventDefault();
      void finish(event.shiftKey ? -1 : 1);
    } else if (hasOpenChoices.current) return;
    else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      isLeaving.current = true;
      // The list shows what is stored now.
      draft.takeTheirs();
      onDone(0);
    } else if (event.key === "Enter" && isControl && !draft.conflict) {
      event.preventDefault();
      void finish(0);
    }
  };
  const onBlur = (event: FocusEvent) => {
    const isInside = event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget);
    // Another window is no choice, and an error stays until it is answered.
    if (isInside || !document.hasFocus() || draft.isSaving || draft.conflict || draft.error) return;
    void finish(0);
  };

  const described = {
    "aria-label": t("cell.label", { field: column.label, name: definition.nameOf(row) }),
    "aria-invalid": draft.error !== undefined || undefined,
    "aria-describedby": messageId,
    readOnly: draft.isSaving,
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the control inside
    <span ref={box} className="cell-editor" onKeyDown={onKeyDown} onBlur={onBlur}>
      <Control
        value={draft.value}
        options={options}
        described={described}
        onValue={draft.set}
        onChoices={(isOpen) => {
          hasOpenChoices.current = isOpen;
        }}
      />
      <span id={messageId}>
        {draft.error && (
          <span ref={keepInView} className="cell-message" role="alert">
            {draft.error}
          </span>
        )}
        {draft.conflict && (
          <Conflict
            {...draft.conflict}
            show={(value) => show(value, options)}
            onMine={() => void finish(0)}
            onTheirs={() => {
              isLeaving.current = true;
              draft.takeTheirs();
              onDone(0);
            }}
          />
        )}
        {!draft.error && !draft.conflict && <span className="visually-hidden">{t("cell.help")}</span>}
      </span>
    </span>
  );
}

interface ControlProps {
  value: CellValue;
  options: readonly { value: string; label: string }[] | undefined;
  described: { readOnly: boolean } & Record<string, string | boolean | undefined>;
  onValue: (value: CellValue) => void;
  onChoices: (isOpen: boolean) => void;
}

function Control({ value, options, described, onValue, onChoices }: ControlProps): ReactNode {
  if (Array.isArray(value))
    return (
      <MultiSelect
        {...described}
        size="xs"
        data={[...(options ?? [])]}
        value={value}
        searchable
        hidePickedOptions
        comboboxProps={{ withinPortal: false }}
        onChange={onValue}
        onDropdownOpen={() => onChoices(true)}
        onDropdownClose={() => onChoices(false)}
      />
    );
  const { readOnly, ...rest } = described;
  if (options)
    return (
      <select {...rest} value={value} onChange={(event) => !readOnly && onValue(event.target.value)}>
        {options.every((option) => option.value !== value) && <option value={value}>…</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...described}
      className="tabular"
      inputMode="numeric"
      autoComplete="off"
      value={value}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}

function show(value: CellValue, options: ControlProps["options"]): string {
  const one = (text: string) => options?.find((option) => option.value === text)?.label ?? text;
  return Array.isArray(value) ? value.map(one).join(", ") : one(value);
}

/** The table cuts off what is outside of its frame: a message moves left at its edge, and above a cell at its end. */
function keepInView(message: HTMLElement | null) {
  const frame = message?.closest(".table-viewport");
  const cell = message?.closest(".cell-editor");
  if (!message || !frame || !cell) return;
  const seen = frame.getBoundingClientRect();
  const { right, bottom, height } = message.getBoundingClientRect();
  const over = right - seen.left - frame.clientWidth;
  if (over > 0) message.style.translate = `${-over}px`;
  const fitsAbove = cell.getBoundingClientRect().top - height > seen.top;
  if (bottom > seen.top + frame.clientHeight && fitsAbove)
    message.style.inset = "auto auto calc(100% + 0.25rem) 0";
}

interface ConflictProps {
  mine: CellValue;
  theirs: CellValue;
  by?: string;
  isOneOfSeveral: boolean;
  show: (value: CellValue) => string;
  onMine: () => void;
  onTheirs: () => void;
}

function Conflict({ mine, theirs, by, isOneOfSeveral, show, onMine, onTheirs }: ConflictProps) {
  const { t } = useTranslation();
  const { username } = useUser();
  const values = { mine: show(mine), theirs: show(theirs) };
  return (
    <span ref={keepInView} className="cell-message" role="alert">
      {by === username
        ? t(isOneOfSeveral ? "cell.conflictSeveral" : "cell.conflictOwn", values)
        : by
          ? t("cell.conflictBy", { ...values, name: by })
          : t("cell.conflict", values)}
      <Group gap="xs" mt={4} wrap="nowrap">
        <Button size="compact-xs" onClick={onMine}>
          {t("cell.mine", values)}
        </Button>
        <Button size="compact-xs" variant="default" onClick={onTheirs}>
          {t("cell.theirs", values)}
        </Button>
      </Group>
    </span>
  );
}
