// The first step of a bulk operation: what is to be changed, and into what.
import { Button, Group, MultiSelect, Select, Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { FailureAlert } from "../ui/FailureAlert";
import type { ChosenChange, PossibleChange, ValueProps } from "./changes";
import type { BulkChange } from "./queries";
import "../forms/mantine-forms.css";

interface ChangeFormProps {
  possible: PossibleChange[];
  /** It is kept while the change is previewed. */
  chosen: ChosenChange;
  onChoose: (chosen: ChosenChange) => void;
  failure: string | undefined;
  isPending: boolean;
  onPreview: (change: BulkChange) => void;
  onCancel: () => void;
}

export function ChangeForm(props: ChangeFormProps) {
  const { possible, failure, isPending, onChoose, onPreview, onCancel } = props;
  const { t } = useTranslation();
  const { key, values } = props.chosen;
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
          onChange={(next) => onChoose({ key: next, values: [] })}
          searchable
          data-autofocus
        />
        {chosen && (
          <ValueInput
            key={chosen.key}
            of={chosen}
            values={values}
            onChange={(next) => onChoose({ key, values: next })}
          />
        )}
        <FailureAlert>{failure}</FailureAlert>
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

function ValueInput({ of: change, values, onChange }: ValueProps & { of: PossibleChange }) {
  const { t } = useTranslation();
  const [first = "", second = ""] = values;
  if (typeof change.input === "function") return change.input({ values, onChange });
  if (change.input === "one")
    return (
      <Select
        label={t("operations.value")}
        placeholder={t("operations.choose")}
        description={first ? change.helpOf?.(first) : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
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
  if (change.input === "value")
    return (
      <TextInput
        label={t("operations.value")}
        value={first}
        maxLength={change.maxLength}
        onChange={(event) => onChange([event.currentTarget.value])}
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
