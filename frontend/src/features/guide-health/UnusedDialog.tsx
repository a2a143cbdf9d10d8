// The channels of a guide that no active channel uses, with their ids.
import { Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client";
import { messageOf } from "../../api/problem";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { ListExport } from "../../ui/list/export/ListExport";
import { SearchBox } from "../../ui/list/SearchBox";
import { PageSteps } from "../../ui/PageSteps";

const size = 50;
/** What a row shows. */
const columns = ["epgId", "title"].map((key) => ({ key }));

interface UnusedDialogProps {
  guide: number;
  title: string;
  onClose: () => void;
}

export default function UnusedDialog({ guide, title, onClose }: UnusedDialogProps) {
  const { t } = useTranslation();
  const [page, setPage] = useState(0);
  const [search, setSearch] = useState("");
  const { data, error, refetch } = useQuery({
    queryKey: ["guide-fetches", guide, "unused", page, search],
    queryFn: ({ signal }) =>
      call("get", `/tv-guides/${guide}/channels`, {
        query: { used: false, _page: page, _size: size, search: search || undefined },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  return (
    <Dialog title={t("guideHealth.unusedOf", { title })} onClose={onClose} size="lg">
      <Stack gap="md">
        <div className="list-tools">
          <SearchBox
            value={search}
            placeholder={t("guideHealth.searchUnused")}
            onSearch={(text) => {
              setSearch(text);
              setPage(0);
            }}
          />
          <ListExport
            list="guide-channels"
            file="spreadsheets/guide-channels"
            query={{ guide, used: false, search }}
            total={data?.totalElements}
            columns={columns}
          />
        </div>
        {error ? (
          <ErrorView title={t("list.failed")} message={messageOf(error)} onRetry={() => void refetch()} />
        ) : !data ? (
          <Skeleton h={160} />
        ) : data.content.length === 0 ? (
          <Text className="quiet">{t("guideHealth.noUnused")}</Text>
        ) : (
          <ul className="guide-unused">
            {data.content.map(({ id, epgId, title: name }) => (
              <li key={id}>
                <span>{name}</span> <code>{epgId}</code>
              </li>
            ))}
          </ul>
        )}
        <PageSteps page={page} pages={data?.totalPages ?? 1} onPage={setPage} />
      </Stack>
    </Dialog>
  );
}
