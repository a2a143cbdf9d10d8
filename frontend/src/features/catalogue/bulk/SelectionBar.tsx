// What is selected of a list of content, and what can be done with it.
import { useTranslation } from "react-i18next";
import { contentEntries, type Kind } from "../../../access/kinds";
import { useMay } from "../../../access/session";
import { loadFormTexts } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { lazyPart } from "../../../loading/lazyPart";
import { BulkDialog, type OwnForm } from "../../../operations/BulkDialog";
import { type SelectedItems, SelectionBar } from "../../../operations/SelectionBar";
import type { Selection } from "../../../ui/list/useSelection";
import { type ChangedKind, useBulkTarget } from "./changes";

const RenumberForm = lazyPart(
  async () => (await Promise.all([import("./RenumberForm"), loadFormTexts()]))[0],
);

interface ContentSelectionBarProps {
  definition: ChangedKind;
  selection: Selection;
  /** Search and filters of the list. */
  filters: Record<string, unknown>;
  /** How many rows match; without it, only what is chosen row by row can be changed. */
  total: number | undefined;
}

export default function ContentSelectionBar({
  definition,
  selection,
  filters,
  total,
}: ContentSelectionBarProps) {
  const { t } = useTranslation();
  // What belongs to a show is under its permissions.
  const { entity } = contentEntries[definition.kind as Kind] ?? contentEntries["tv-shows"];
  const mayDelete = useMay()(`${entity}_DELETE`);
  return (
    <SelectionBar
      selection={selection}
      filter={filters}
      total={total}
      another={definition.kind === "tv-channels" ? t("operations.lineup.renumber") : undefined}
      mayDelete={mayDelete}
      dialog={(items) => <ContentDialog definition={definition} {...items} />}
    />
  );
}

function ContentDialog({ definition, ...items }: SelectedItems & { definition: ChangedKind }) {
  const { t } = useTranslation();
  const { selected, count } = items;
  const renumbering: OwnForm = {
    title: t("operations.lineup.title", { count, number: formatNumber(count) }),
    render: (props) => <RenumberForm selected={selected} {...props} />,
  };
  return <BulkDialog of={useBulkTarget(definition)} form={renumbering} {...items} />;
}
