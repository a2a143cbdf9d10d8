// Asks first, then removes a source.
import { useTranslation } from "react-i18next";
import { confirm } from "../../ui/confirm";
import { type Source, useDeleteSource } from "./queries";

export function useRemove() {
  const { t } = useTranslation();
  const remove = useDeleteSource();
  return async (source: Source, onDone?: () => void) => {
    const goesAhead = await confirm({
      title: t("playlists.deleteTitle"),
      consequence: t("playlists.willDelete", { title: source.title }),
      verb: t("common.delete"),
    });
    if (goesAhead) remove.mutate(source, { onSuccess: onDone });
  };
}
