// What keeps an item from being restored as it was, and another value for what is gone.
import { Button, Group, MultiSelect, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem, type Violation } from "../../../api/problem";
import { useCategoryOptions, useGuideOptions } from "../../../api/storedOptions";
import { type TypedNumber, WholeNumberInput, wholeNumber } from "../../../forms/WholeNumberInput";
import { Dialog } from "../../../ui/Dialog";
import { FailureAlert } from "../../../ui/FailureAlert";
import { definitions } from "../definitions";
import { fieldLabelOf, type RecordedKind } from "../history/labels";
import { useRestore } from "./useRestore";
import "../../../forms/mantine-forms.css";

interface RestoreDialogProps {
  kind: RecordedKind;
  id: number;
  name: string;
  problem: Error;
  onClose: () => void;
}

/** Fields for whose value there is a choice. */
const choosable = ["categoryId", "categories", "tvGuideId"];

const listOf = (values: unknown) => (Array.isArray(values) ? (values as unknown[]) : []);

/** What remains of each list some of whose items are gone. */
function remainingOf(violations: readonly Violation[]): Record<string, unknown> {
  const gone = violations.map(({ arguments: { id } = {} }) => id);
  const lists = violations.map(({ field, arguments: { values } = {} }) => {
    const remaining = listOf(values).filter((value) => !gone.includes(value));
    return [field, remaining.length > 0 ? remaining : undefined];
  });
  return Object.fromEntries(lists);
}

/** Whether what is in the way is another item with the same natural key. */
const isKeyInUse = (problem: Error) =>
  problem instanceof Problem && problem.status === 409 && typeof problem.arguments.id === "number";

/** Where the natural key is unique, the field that gets another value; of the other kinds, two may have the same. */
const numberFields: Partial<Record<RecordedKind, string>> = {
  seasons: "seasonNumber",
  episodes: "episodeNumber",
};
const numbers = { min: 1, max: 2_147_483_647 };

export function RestoreDialog({ kind, id, name, problem: first, onClose }: RestoreDialogProps) {
  const { t } = useTranslation();
  const restore = useRestore();
  const violationsOf = (error: Error) => (error instanceof Problem ? error.violations : []);
  const [values, setValues] = useState(() => remainingOf(violationsOf(first)));
  // With another category, another item may be in the way; another failure changes nothing of the question.
  const [problem, setProblem] = useState(first);
  const number = isKeyInUse(problem) ? numberFields[kind] : undefined;
  const duplicate = isKeyInUse(problem) && !number;
  const violations = violationsOf(problem);
  const fields = [...new Set(violations.map(({ field }) => field.split(/[.[]/)[0] ?? ""))];
  const missing = fields.filter((field) => choosable.includes(field));
  const [typedNumber, setTypedNumber] = useState<TypedNumber>("");
  const otherNumber = wholeNumber(typedNumber, numbers);
  const isComplete = number
    ? otherNumber !== undefined
    : duplicate || (missing.length > 0 && missing.every((field) => values[field] !== undefined));
  const why = number ? "number" : duplicate ? "duplicate" : missing.length > 0 ? "choose" : "noChoice";
  return (
    <Dialog title={t("history.trash.restoreName", { name })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isComplete || restore.isPending) return;
          const changes = number ? { ...values, [number]: otherNumber } : values;
          setValues(changes);
          restore.mutate(
            { kind, id, name, changes, duplicate },
            {
              onSuccess: onClose,
              onError: (error) => {
                const found = violationsOf(error);
                if (!isKeyInUse(error) && found.length === 0) return;
                setProblem(error);
                setValues({ ...changes, ...remainingOf(found) });
              },
            },
          );
        }}
      >
        <FailureAlert title={t(duplicate ? "history.trash.twin" : "history.trash.conflict")} mb="md">
          {violations.length > 0
            ? violations.map(({ field, message }) => `${fieldLabelOf(kind, field)}: ${message}`).join(" · ")
            : messageOf(problem)}
        </FailureAlert>
        <p>{t(`history.trash.${why}`)}</p>
        {missing.map((field) => (
          <Choice
            key={field}
            kind={kind}
            field={field}
            value={values[field]}
            onChange={(value) => setValues({ ...values, [field]: value })}
          />
        ))}
        {number && (
          <WholeNumberInput
            {...numbers}
            label={fieldLabelOf(kind, number)}
            value={typedNumber}
            onChange={setTypedNumber}
            // Nothing is wrong before a number is typed.
            {...(typedNumber === "" && { error: undefined })}
            data-autofocus
          />
        )}
        {restore.error && restore.error !== problem && (
          <FailureAlert title={t("history.notRestored", { name })} mb="sm">
            {messageOf(restore.error)}
          </FailureAlert>
        )}
        <Group mt="md" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {why === "noChoice" ? t("common.close") : t("common.cancel")}
          </Button>
          {why !== "noChoice" && (
            <Button type="submit" disabled={!isComplete} loading={restore.isPending}>
              {t(duplicate ? "history.trash.restoreDuplicate" : "history.trash.restore")}
            </Button>
          )}
        </Group>
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  kind: RecordedKind;
  field: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** The choice of no guide, which is optional. */
const none = "none";

function Choice({ kind, field, value, onChange }: ChoiceProps) {
  const { t } = useTranslation();
  const definition = useQuery({
    queryKey: ["definitions", kind, "category"],
    queryFn: async () =>
      kind === "seasons" || kind === "episodes"
        ? ""
        : ((await definitions[kind]()).default.categoryFilter ?? ""),
    enabled: field !== "tvGuideId",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const categories = useCategoryOptions(definition.data, Boolean(definition.data));
  const guides = useGuideOptions(field === "tvGuideId");
  const common = {
    label: fieldLabelOf(kind, field),
    searchable: true,
    placeholder: t("form.choose"),
    data:
      field === "tvGuideId"
        ? [{ value: none, label: t("history.trash.noGuide") }, ...guides.options]
        : categories.options,
  };
  if (field === "categories")
    return (
      <MultiSelect
        {...common}
        value={listOf(value).map(String)}
        onChange={(ids) => onChange(ids.length > 0 ? ids.map(Number) : undefined)}
      />
    );
  const chosen = value === null ? none : value === undefined ? null : String(value);
  const choose = (id: string | null) => onChange(id === null ? undefined : id === none ? null : Number(id));
  return <Select {...common} value={chosen} onChange={choose} />;
}
