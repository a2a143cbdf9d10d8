// A choice of one among many, which the server searches: agents, subscribers, keys, channels.
import { Loader, Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../api/problem";
import { plain } from "../ui/plain";
import "./mantine-forms.css";

interface Option {
  value: string;
  label: string;
}

interface Answer {
  content: readonly object[];
}

type Input = Pick<
  SelectProps,
  | "className"
  | "description"
  | "error"
  | "label"
  | "name"
  | "nothingFoundMessage"
  | "onBlur"
  | "openOnFocus"
  | "placeholder"
  | "required"
  | "withAsterisk"
>;

interface SearchedSelectProps<Found extends Answer, Key extends QueryKey> extends Input {
  /** What is found by the words that are typed; without words, the first ones. */
  query: (search: string) => UseQueryOptions<Found, Error, Found, Key>;
  /** Undefined where it cannot be chosen. */
  optionOf: (found: Found["content"][number]) => Option | undefined;
  /** Said where nothing is typed and nothing is there to choose. */
  hint?: string;
  /** Options that are there whatever the server finds: all where nothing is typed, else those whose name has the words;
   *  with what they are called until they are found. */
  known?: readonly Option[];
  value: string | null;
  onChoose: (value: string) => void;
  /** The list is a part of the panel that this field is in: a click on it is none outside of the panel. */
  isInPanel?: boolean;
  /** It has the focus once its dialog is open. */
  "data-autofocus"?: boolean;
}

export function SearchedSelect<Found extends Answer, Key extends QueryKey>(
  props: SearchedSelectProps<Found, Key>,
) {
  const { query, optionOf, hint, known = [], isInPanel, value, onChoose, error, ...input } = props;
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  /** Of those that were chosen when they were found: another search may not find them. */
  const [names, setNames] = useState<Record<string, string>>({});
  const nameOf = (of: string) => names[of] ?? known.find((option) => option.value === of)?.label ?? of;
  const chosen = value === null ? "" : nameOf(value);
  // The text of what is chosen is no search.
  const words = typed === chosen ? "" : typed.trim();
  const [search] = useDebouncedValue(words, 250);
  const found = useQuery(query(search));
  /** What is found is of the words that are typed. */
  const isCurrent = search === words && !found.isPending && !found.isPlaceholderData;
  const nothingFound = input.nothingFoundMessage ?? t("form.nothingFound");
  const options = (found.data?.content ?? []).flatMap((one) => optionOf(one) ?? []);
  const own = options.find((option) => option.value === value);
  if (own && names[own.value] !== own.label) setNames({ ...names, [own.value]: own.label });
  const others = new Set(known.map((option) => option.value));
  if (value !== null) others.add(value);
  for (const option of options) others.delete(option.value);
  const rest = [...others].map((of) => ({ value: of, label: nameOf(of) }));
  return (
    <Select
      placeholder={input.placeholder ?? t("form.choose")}
      openOnFocus={false}
      comboboxProps={isInPanel ? { withinPortal: false } : undefined}
      {...input}
      inputWrapperOrder={["label", "input", "description", "error"]}
      error={error ?? (found.isError && messageOf(found.error))}
      nothingFoundMessage={
        search !== words || found.isFetching
          ? t("common.loading")
          : words === ""
            ? (hint ?? nothingFound)
            : nothingFound
      }
      rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
      // The value is among them: Mantine names it.
      data={[...rest, ...options]}
      // The server searched.
      filter={() =>
        words === ""
          ? [...rest, ...options]
          : [...options, ...rest.filter(({ label }) => plain(label).includes(plain(words)))]
      }
      searchable
      // The first one once it was found: until then Enter chooses nothing.
      selectFirstOptionOnChange={words !== "" && isCurrent}
      onKeyDown={(event) => {
        // A form is not submitted by words that were to choose something.
        if (event.key === "Enter" && typed !== chosen) event.preventDefault();
      }}
      allowDeselect={false}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      onChange={(next) => next !== null && onChoose(next)}
    />
  );
}
