// The summary of a source: its address, its last run with the result, and its actions.
import { Alert, Button, Group, Menu } from "@mantine/core";
import "@mantine/core/styles/Menu.layer.css";
import "@mantine/core/styles/Alert.layer.css";
import { type RefObject, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useMay } from "../../access/session";
import { ApplyFault } from "../../api/enums/ApplyFault.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { DayAndTime } from "../../ui/DayAndTime";
import { AlertIcon, DeleteIcon, EditIcon } from "../../ui/icons";
import { UploadIcon } from "../../ui/lazyIcons";
import { MoreMenu } from "../../ui/MoreMenu";
import { LastApplied } from "./LastApplied";
import { ListGuides } from "./ListGuides";
import { isUnfinished, type Run, type Source, useRead } from "./queries";
import { faultOf, RunBadge } from "./RunBadge";
import { useRemove } from "./useRemove";

const GroupsDialog = lazyPart(() => import("./GroupsDialog"), { isDialog: true });
const LinesDialog = lazyPart(() => import("./LinesDialog"), { isDialog: true });
const RunsDialog = lazyPart(() => import("./RunsDialog"), { isDialog: true });

interface SummaryProps {
  source: Source;
  runs: readonly Run[];
  /** The run whose results the entries have. */
  finished: Run | undefined;
}

type Opened = "groups" | "runs" | { run: Run; lines: "DUPLICATE" | "REFUSED" };

export function Summary({ source, runs, finished }: SummaryProps) {
  const { t } = useTranslation();
  const may = useMay();
  const [opened, setOpened] = useState<Opened>();
  const last = runs[0];
  const applied = runs.find(({ operations }) => operations.length > 0);
  const mayChange = may("PLAYLIST_UPDATE");
  const close = () => setOpened(undefined);
  return (
    <section className="playlist-summary" aria-label={t("playlists.summary")}>
      <div className="playlist-facts">
        {source.url && <code className="playlist-url">{source.url}</code>}
        <span className="playlist-badges" role="status">
          {last ? (
            <>
              <RunBadge of={last} /> <DayAndTime of={last.finishedDate ?? last.createdDate} />
            </>
          ) : (
            <span className="quiet">{t("playlists.never")}</span>
          )}
        </span>
        {finished && <Found of={finished} onLines={(lines) => setOpened({ run: finished, lines })} />}
        {applied && <LastApplied of={applied.operations} />}
      </div>
      <Group gap="sm">
        {mayChange && <ReadButtons source={source} isBusy={isUnfinished(last)} />}
        {finished && mayChange && (
          <Button variant="default" onClick={() => setOpened("groups")}>
            {t("playlists.groups.title")}
          </Button>
        )}
        <MoreActions source={source} onRuns={() => setOpened("runs")} />
      </Group>
      {last && !isUnfinished(last) && last.fault && (
        <Fault source={source} of={last} onRefused={() => setOpened({ run: last, lines: "REFUSED" })} />
      )}
      {last?.applyFault && (
        <Alert color="orange" icon={<AlertIcon />} title={t("playlists.notApplied")}>
          {labelOf(ApplyFault, last.applyFault)}
        </Alert>
      )}
      {finished && <ListGuides source={source} of={finished} />}
      <Suspense fallback={null}>
        {opened === "groups" && <GroupsDialog source={source} onClose={close} />}
        {opened === "runs" && <RunsDialog runs={runs} onClose={close} />}
        {typeof opened === "object" && (
          <LinesDialog source={source.id} run={opened.run} change={opened.lines} onClose={close} />
        )}
      </Suspense>
    </section>
  );
}

interface FoundProps {
  of: Run;
  onLines: (lines: "DUPLICATE" | "REFUSED") => void;
}

function Found({ of: { counts }, onLines }: FoundProps) {
  const { t } = useTranslation();
  const number = (count: number) => ({ count, number: formatNumber(count) });
  return (
    <span className="playlist-counts quiet">
      <span>{t("playlists.found", number(counts.entries))}</span>
      {counts.films + counts.series > 0 && (
        <span>{t("playlists.onDemand", number(counts.films + counts.series))}</span>
      )}
      {counts.duplicates > 0 && (
        <Button variant="default" size="compact-sm" onClick={() => onLines("DUPLICATE")}>
          {t("playlists.duplicates", number(counts.duplicates))}
        </Button>
      )}
      {counts.refused > 0 && (
        <Button variant="default" size="compact-sm" onClick={() => onLines("REFUSED")}>
          {t("playlists.refused", number(counts.refused))}
        </Button>
      )}
    </span>
  );
}

function ReadButtons({ source, isBusy }: { source: Source; isBusy: boolean }) {
  const { t } = useTranslation();
  const read = useRead(source);
  const input = useRef<HTMLInputElement>(null);
  const busy = isBusy || read.isPending;
  return (
    <>
      {source.url && (
        <Button
          loading={busy}
          loaderProps={{ "aria-label": t("playlists.reading") }}
          onClick={() => read.mutate({})}
        >
          {t("playlists.readNow")}
        </Button>
      )}
      <FileInput of={input} label={t("playlists.file")} onFile={(file) => read.mutate({ file })} />
      <Button
        variant={source.url ? "default" : "filled"}
        leftSection={<UploadIcon size={16} />}
        disabled={Boolean(source.url) && busy}
        loading={!source.url && busy}
        loaderProps={{ "aria-label": t("playlists.reading") }}
        onClick={() => input.current?.click()}
      >
        {t("playlists.upload")}
      </Button>
    </>
  );
}

interface FileInputProps {
  of: RefObject<HTMLInputElement | null>;
  label: string;
  onFile: (file: File) => void;
}

/** The browser's choice of a file, which a button opens. */
function FileInput({ of, label, onFile }: FileInputProps) {
  return (
    <input
      ref={of}
      type="file"
      accept=".m3u,.m3u8,.txt,.gz,audio/x-mpegurl"
      aria-label={label}
      hidden
      onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        if (file) onFile(file);
        event.currentTarget.value = "";
      }}
    />
  );
}

interface FaultProps {
  source: Source;
  of: Run;
  onRefused: () => void;
}

/** Why the last run changed nothing, and the action to apply it anyway where possible. */
function Fault({ source, of: run, onRefused }: FaultProps) {
  const { t } = useTranslation();
  const may = useMay();
  const read = useRead(source);
  const input = useRef<HTMLInputElement>(null);
  // What was uploaded is uploaded again: the address of the source may have another list.
  const isUpload = run.fileName !== null;
  const canAccept = run.fault === "TOO_MANY_MISSING" && (source.url || isUpload) && may("PLAYLIST_UPDATE");
  return (
    <Alert color="yellow" icon={<AlertIcon />} className="playlist-fault" title={faultOf(run)}>
      <p>{t("playlists.nothingChanged")}</p>
      {canAccept && (
        <>
          <FileInput
            of={input}
            label={t("playlists.fileAgain")}
            onFile={(file) => read.mutate({ file, acceptLoss: true })}
          />
          <Button
            size="xs"
            variant="default"
            loading={read.isPending}
            onClick={() => (isUpload ? input.current?.click() : read.mutate({ acceptLoss: true }))}
          >
            {t(isUpload ? "playlists.acceptLossOfFile" : "playlists.acceptLoss", { file: run.fileName })}
          </Button>
        </>
      )}
      {run.counts.refused > 0 && (
        <Button size="xs" variant="default" onClick={onRefused}>
          {t("playlists.refused", { count: run.counts.refused, number: formatNumber(run.counts.refused) })}
        </Button>
      )}
    </Alert>
  );
}

function MoreActions({ source, onRuns }: { source: Source; onRuns: () => void }) {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = useNavigate();
  const remove = useRemove();
  return (
    <MoreMenu name={source.title}>
      <Menu.Item onClick={onRuns}>{t("playlists.runs.title")}</Menu.Item>
      {may("PLAYLIST_UPDATE") && (
        <Menu.Item component={Link} to={paths.editPlaylist(source.id)} leftSection={<EditIcon size={16} />}>
          {t("common.edit")}
        </Menu.Item>
      )}
      {may("PLAYLIST_DELETE") && (
        <Menu.Item
          leftSection={<DeleteIcon size={16} />}
          onClick={() => void remove(source, () => navigate(paths.playlists))}
        >
          {t("common.delete")}
        </Menu.Item>
      )}
    </MoreMenu>
  );
}
