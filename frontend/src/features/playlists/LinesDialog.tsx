// Lines that a run left out, each with its number and the reason.
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { formatNumber } from "../../i18n/formats";
import { Dialog } from "../../ui/Dialog";
import { ErrorView } from "../../ui/ErrorView";
import { ListExport } from "../../ui/list/export/ListExport";
import { PageSteps } from "../../ui/PageSteps";
import { playlistQueries, type Run } from "./queries";

/** What a line shows. */
const columns = ["line", "name", "reason", "ofLine"].map((key) => ({ key }));

interface LinesDialogProps {
  source: number;
  run: Run;
  change: "DUPLICATE" | "REFUSED";
  onClose: () => void;
}

export default function LinesDialog({ source, run, change, onClose }: LinesDialogProps) {
  const { t } = useTranslation();
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useQuery(playlistQueries.lines(source, run.id, change, page));
  const counted = change === "REFUSED" ? run.counts.refused : run.counts.duplicates;
  const kept = data?.totalElements ?? counted;
  const title = t(change === "REFUSED" ? "playlists.lines.refused" : "playlists.lines.duplicates");
  return (
    <Dialog title={title} onClose={onClose} size="lg">
      {error ? (
        <ErrorView title={t("list.failed")} message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          <ul className="playlist-lines" aria-busy={!data}>
            {data?.content.map(({ line, message, name, ofLine }) => (
              <li key={line}>
                <span className="quiet tabular">
                  {t("playlists.lines.line", { number: formatNumber(line) })}
                </span>
                <span>
                  {name && <strong>{name} </strong>}
                  {message}
                  {ofLine != null && ` ${t("playlists.lines.ofLine", { number: formatNumber(ofLine) })}`}
                </span>
              </li>
            ))}
          </ul>
          {kept < counted && (
            <Text size="sm" c="dimmed">
              {t(kept === 0 ? "playlists.lines.noneKept" : "playlists.lines.someKept", {
                kept: formatNumber(kept),
                total: formatNumber(counted),
              })}
            </Text>
          )}
          <Group justify="space-between">
            {kept > 0 && (
              <ListExport
                list="playlist-lines"
                file="spreadsheets/playlist-lines"
                query={{ source, run: run.id, change }}
                total={kept}
                columns={columns}
              />
            )}
            <PageSteps page={page} pages={data?.totalPages ?? 1} onPage={setPage} />
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
