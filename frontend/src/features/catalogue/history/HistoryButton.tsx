// Opens the history of an item from its form.
import { useTranslation } from "react-i18next";
import type { Draft, PartialDraft } from "../../../forms/draft";
import { OpensHistory } from "../../../history/OpensHistory";
import { loadTexts } from "../../../i18n";
import { lazyPart } from "../../../loading/lazyPart";
import { askAndReplace } from "../../../ui/askAndClose";
import { toast } from "../../../ui/toast";
import type { RecordedKind } from "./labels";

const ItemHistory = lazyPart(
  async () => (await Promise.all([import("./ItemHistory"), loadTexts("history")]))[0],
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
  return (
    <OpensHistory>
      {(close) => (
        <ItemHistory
          kind={kind}
          id={id}
          name={name}
          version={version}
          onRestore={(restored, content) =>
            void askAndReplace(draft.isChanged(), () => {
              draft.merge(content as PartialDraft<D>);
              close();
              toast.success(t("history.restoredVersion", { version: restored }));
            })
          }
          onClose={close}
        />
      )}
    </OpensHistory>
  );
}
