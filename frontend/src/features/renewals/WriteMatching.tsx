// Writes to all customers that match a filter, one after the other.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import type { ListState } from "../../ui/list/useListAddress";
import MessageDialog from "./MessageDialog";
import { most, type RenewalWindow, renewalQueries } from "./queries";

interface WriteMatchingProps {
  window: RenewalWindow;
  state: ListState;
  onClose: () => void;
}

export default function WriteMatching({ window, state, onClose }: WriteMatchingProps) {
  const { t } = useTranslation();
  const all = useQuery({
    ...renewalQueries.list(window, { ...state, page: 0, size: most }),
    // Contacted customers keep their position in the list.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (all.data) return <MessageDialog customers={all.data.content} onClose={onClose} />;
  return (
    <Dialog title={t("renewals.writeAll")} onClose={onClose} size="lg" isForm>
      {all.error ? (
        <ErrorView
          title={t("renewals.findFailed")}
          message={messageOf(all.error)}
          onRetry={() => void all.refetch()}
        />
      ) : (
        <Skeleton h={200} role="status" aria-label={t("renewals.finding")} />
      )}
    </Dialog>
  );
}
