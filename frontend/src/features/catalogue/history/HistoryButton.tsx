// Opens the history of an item from its form.
import { Button } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Draft, PartialDraft } from "../../../forms/draft";
import { HistoryIcon } from "../../../history/HistoryIcon";
import { loadPageTexts } from "../../../i18n";
import { lazyPart } from "../../../loading/lazyPart";
import { askAndReplace } from "../../../ui/askAndClose";
import { toast } from "../../../ui/toast";
import type { RecordedKind } from "./labels";

const ItemHistory = lazyPart(
  async () => (await Promise.all([import("./ItemHistory"), loadPageTexts("history")]))[0],
  { isDialog: true },
);

interface HistoryButtonProps<D extends object> {
  kind: RecordedKind;
  id: number;
  name: string;
  version: number;
  draft: Draft<D>;
}

export function HistoryButton<D extends object>({ kind, id, name, version, draft }: HistoryButtonProps<D>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<HistoryIcon size={16} />} onClick={() => setOpen(true)}>
        {t("form.history")}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ItemHistory
            kind={kind}
            id={id}
            name={name}
            version={version}
            onRestore={(restored, content) =>
              void askAndReplace(draft.isChanged(), () => {
                draft.merge(content as PartialDraft<D>);
                setOpen(false);
                toast.success(t("history.restoredVersion", { version: restored }));
              })
            }
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
