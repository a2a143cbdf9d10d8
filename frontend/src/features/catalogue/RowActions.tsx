// The actions of a row: view, edit and delete, as far as the user may.
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { contentEntries, type Kind } from "../../access/kinds";
import { useMay } from "../../access/session";
import { loadFormTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { DeleteIcon, EditIcon, ViewIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import type { Row } from "./contents";
import type { ContentDefinition } from "./define";

const Removal = lazyPart(async () => (await Promise.all([import("./Removal"), loadFormTexts()]))[0], {
  isDialog: true,
});

interface RowActionsProps<K extends Kind> {
  definition: ContentDefinition<K>;
  row: Row<K>;
  onLeave: () => void;
  onDeleted: (id: number) => void;
}

export function RowActions<K extends Kind>({ definition, row, onLeave, onDeleted }: RowActionsProps<K>) {
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      <ActionButtons
        name={definition.nameOf(row)}
        actions={useActions(definition, row, onLeave, () => setRemoving(true))}
      />
      {isRemoving && (
        <Suspense fallback={null}>
          <Removal
            definition={definition}
            row={row}
            onDone={() => setRemoving(false)}
            onDeleted={onDeleted}
          />
        </Suspense>
      )}
    </>
  );
}

function useActions<K extends Kind>(
  definition: ContentDefinition<K>,
  row: Row<K>,
  onLeave: () => void,
  onRemove: () => void,
): Action[] {
  const { t } = useTranslation();
  const { kind } = definition;
  const { entity, hasDetails } = contentEntries[kind];
  const may = useMay();
  const name = definition.nameOf(row);
  const actions: [boolean | undefined, Action][] = [
    [
      hasDetails,
      {
        ...(definition.open?.(row) ?? {
          label: t("contents.view", { name }),
          to: paths.content(kind, row.id),
        }),
        verb: t("common.view"),
        Icon: ViewIcon,
        onClick: onLeave,
      },
    ],
    [
      may(`${entity}_UPDATE`),
      {
        label: t("contents.edit", { name }),
        verb: t("common.edit"),
        Icon: EditIcon,
        to: paths.editContent(kind, row.id),
        onClick: onLeave,
      },
    ],
    [
      may(`${entity}_DELETE`),
      {
        label: t("contents.delete", { name }),
        verb: t("common.delete"),
        Icon: DeleteIcon,
        onClick: onRemove,
      },
    ],
  ];
  return actions.filter(([isAllowed]) => isAllowed).map(([, action]) => action);
}
