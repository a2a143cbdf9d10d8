// A list without rows: describes its content, with a button to create the first item or to remove the filters.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { hasText, textAt } from "../../../i18n";
import { Empty } from "../../Empty";
import { type Create, CreateButton } from "../CreateButton";
import type { ChangeList } from "../useListAddress";

interface EmptyListProps {
  name: string;
  isSearch: boolean;
  isFiltered: boolean;
  change: ChangeList;
  filters: string[];
  create?: Create;
}

export default function EmptyList({ name, isSearch, isFiltered, change, filters, create }: EmptyListProps) {
  const { t } = useTranslation();
  const clear = () =>
    change({
      search: "",
      filters: Object.fromEntries(filters.map((filter) => [filter, undefined])),
    });
  if (isFiltered)
    return (
      <Empty
        action={
          <Button variant="default" size="xs" onClick={clear}>
            {t("list.clear")}
          </Button>
        }
      >
        {isSearch ? textAt("list.nothingFound") : textAt("list.empty")}
      </Empty>
    );
  const purpose = `empty.${name}`;
  return (
    <Empty
      help={hasText(purpose) ? textAt(purpose) : undefined}
      action={create && <CreateButton {...create} label={textAt("empty.start")} />}
    >
      {textAt("list.empty")}
    </Empty>
  );
}
