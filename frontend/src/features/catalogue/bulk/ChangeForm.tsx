// The first step of a bulk operation: what is to be changed, and into what.
import { Button, Group, MultiSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { BulkChange } from "../../../operations/queries";
import type { PossibleChange } from "./changes";

interface ChangeFormProps {
  possible: PossibleChange[];
  /** The change that was previewed before. */
  initial: BulkChange | undefined;
  failure: string | undefined;
  isPending: boolean;
  onPreview: (change: BulkChange) => void;
  onCancel: () => void;
}

export function ChangeForm({ possible, initial, failure, isPending, onPreview, onCancel }: ChangeFormProps) {
  const { t } = useTranslation();
  const [key, setKey] = useState<string | null>(() => keyOf(possible, initial) ?? null);
  const [values, setValues] = useState<string[]>(() => valuesOf(initial));
  const chosen = possible.find((change) => change.key === key);
  const isComplete = chosen !== undefined && values[0] !== undefined && values[0] !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (isComplete) onPreview(chosen.with(values));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Select
          label={t("operations.what")}
          placeholder={t("operations.choose")}
          data={possible.map((change) => ({ value: change.key, label: change.label }))}
          value={key}
          onChange={(next) => {
            setKey(next);
            setValues([]);
          }}
          searchable
          data-autofocus
        />
        {chosen && <ValueInput key={chosen.key} of={chosen} values={values} onChange={setValues} />}
        {failure && <Text c="var(--danger)">{failure}</Text>}
      </Stack>
      <Group mt="lg" justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
        <Button type="submit" disabled={!isComplete} loading={isPending}>
          {t("operations.preview")}
        </Button>
      </Group>
    </form>
  );
}

interface ValueInputProps {
  of: PossibleChange;
  values: string[];
  onChange: (values: string[]) => void;
}

function ValueInput({ of: change, values, onChange }: ValueInputProps) {
  const { t } = useTranslation();
  const [first = "", second = ""] = values;
  if (change.input === "one")
    return (
      <Select
        label={t("operations.value")}
        placeholder={t("operations.choose")}
        data={[...change.options]}
        value={first || null}
        onChange={(next) => onChange(next ? [next] : [])}
        searchable
      />
    );
  if (change.input === "several")
    return (
      <MultiSelect
        label={t("operations.values")}
        data={[...change.options]}
        value={values}
        onChange={onChange}
        searchable
        hidePickedOptions
      />
    );
  return (
    <>
      <TextInput
        label={t("operations.find")}
        description={t("operations.findHelp")}
        value={first}
        onChange={(event) => onChange([event.currentTarget.value, second])}
      />
      <TextInput
        label={t("operations.replacement")}
        description={t("operations.replacementHelp")}
        value={second}
        onChange={(event) => onChange([first, event.currentTarget.value])}
      />
    </>
  );
}

function keyOf(possible: PossibleChange[], change: BulkChange | undefined): string | undefined {
  if (!change) return undefined;
  const wanted = JSON.stringify(change);
  return possible.find((one) => JSON.stringify(one.with(valuesOf(change))) === wanted)?.key;
}

/** The values of a change, as they were chosen. */
function valuesOf(change: BulkChange | undefined): string[] {
  if (!change) return [];
  if (change.type === "REPLACE") return [change.find ?? "", change.replacement ?? ""];
  if (change.type === "SET") return Object.values(change.set ?? {}).map(String);
  return (change.values ?? []).map(String);
}
