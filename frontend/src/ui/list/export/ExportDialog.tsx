// What a spreadsheet of a list is to have: its format and its columns. The file is a download of the browser's.
import { Alert, Button, Checkbox, Group, SegmentedControl, Skeleton, Text } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../../api/problem";
import {
  getSpreadsheetColumns,
  type SpreadsheetColumn,
  spreadsheetAddress,
} from "../../../api/resourceFiles";
import { currentLanguage } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { Dialog } from "../../Dialog";
import { FailureAlert } from "../../FailureAlert";
import { fileLink } from "../../fileLink";
import { DownloadIcon } from "../../lazyIcons";
import type { Column } from "../columns";
import { visibleColumns } from "../useChosenColumns";
import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import "./export.css";

export interface ExportDialogProps {
  /** The list, as its chosen columns are kept under. */
  list: string;
  /** The call that makes its files, without `/api`. */
  file: string;
  /** What the list asks for. */
  query: Record<string, string | number | boolean | readonly string[] | undefined>;
  /** How many rows match. */
  total: number | undefined;
  /** The columns that the list can show. */
  columns: readonly Pick<Column<never>, "key" | "isOptional" | "isIdentity" | "inFile">[];
  /** Columns of the file that the list shows within others. */
  also?: readonly string[];
  onClose: () => void;
}

/** Rows of one file at most. */
const mostRows = 1_000_000;

/** A column of links is one of a group for each link: they are chosen together. */
const ofLink = /^link\d+_/;
const links = "links";

/** The columns that the list shows: names instead of ids. */
export function columnsOfList(keys: readonly string[], shown: readonly string[]): string[] {
  return keys.filter((key) => {
    const field = key.replace(/\.name$/, "");
    return shown.includes(field) && (key !== field || !keys.includes(`${field}.name`));
  });
}

const none: readonly string[] = [];

export function ExportDialog({
  list,
  file,
  query: listed,
  total,
  columns: available,
  also = none,
  onClose,
}: ExportDialogProps) {
  const { t, i18n } = useTranslation();
  const [format, setFormat] = useState("xlsx");
  const [chosen, setChosen] = useState<string[]>();
  const visible = visibleColumns(list, available).flatMap(({ key, inFile = none }) => [key, ...inFile]);
  const shown = [...visible, ...also];
  const query = useQuery({
    queryKey: ["spreadsheetColumns", file, i18n.language],
    queryFn: ({ signal }) => getSpreadsheetColumns(file, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const choices = withLinksTogether(query.data ?? [], t("spreadsheets.links"));
  const keys = choices.map(({ key }) => key);
  // Of possible duplicates `links` is their number: a column like the others.
  const hasLinks = query.data?.some(({ key }) => ofLink.test(key)) ?? false;
  const columns = chosen ?? columnsOfList(keys, shown);
  const isTooMuch = total !== undefined && total > mostRows;
  const isReady = query.isSuccess && columns.length > 0 && !isTooMuch;
  const address = spreadsheetAddress(file, {
    format,
    language: currentLanguage(),
    // All columns are the default: their names would make a long address.
    ...(columns.length < keys.length && { columns: keys.filter((key) => columns.includes(key)).join() }),
    ...queryOfFile(listed),
  });

  const [failure, setFailure] = useState<unknown>();
  /** The session is being checked. */
  const [isBusy, setBusy] = useState(false);
  const download = useRef<AbortController>(undefined);
  // A dialog that was closed downloads nothing.
  useEffect(() => () => download.current?.abort(), []);
  const link = fileLink(address, () => {
    setFailure(undefined);
    setBusy(true);
    const onFailed = (problem: unknown) => {
      setBusy(false);
      setFailure(problem);
    };
    download.current ??= new AbortController();
    return { signal: download.current.signal, onBegun: onClose, onFailed };
  });

  return (
    <Dialog title={t("spreadsheets.title")} onClose={onClose} size="lg" isForm>
      {isTooMuch ? (
        <Alert color="red">{t("spreadsheets.tooMany", { max: formatNumber(mostRows) })}</Alert>
      ) : (
        total !== undefined && (
          <Text size="sm">{t("spreadsheets.rows", { count: total, number: formatNumber(total) })}</Text>
        )
      )}
      <SegmentedControl
        mt="md"
        aria-label={t("spreadsheets.format")}
        value={format}
        onChange={setFormat}
        data={[
          { value: "xlsx", label: t("spreadsheets.xlsx") },
          { value: "csv", label: t("spreadsheets.csv") },
        ]}
      />
      <Text fw={600} size="sm" mt="lg" id="export-columns">
        {t("spreadsheets.columns")}
      </Text>
      <Group mt={4} mb="xs" ml={-8} gap="xs">
        <Button variant="subtle" size="compact-sm" onClick={() => setChosen(columnsOfList(keys, shown))}>
          {t("spreadsheets.columnsOfList")}
        </Button>
        <Button variant="subtle" size="compact-sm" onClick={() => setChosen(keys)}>
          {t(hasLinks ? "spreadsheets.allColumns" : "spreadsheets.allOfThem")}
        </Button>
      </Group>
      {query.isError && <Alert color="red">{messageOf(query.error)}</Alert>}
      {query.isPending && <Skeleton h={180} />}
      {query.isSuccess && (
        <Checkbox.Group value={columns} onChange={setChosen} aria-labelledby="export-columns">
          <div className="export-columns">
            {choices.map(({ key, heading }) => (
              <Checkbox key={key} value={key} label={heading} size="sm" />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <FailureAlert title={t("list.notDownloaded")} mt="lg">
        {failure !== undefined && messageOf(failure)}
      </FailureAlert>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button
          component="a"
          {...link}
          href={isReady ? address : undefined}
          leftSection={<DownloadIcon size={16} />}
          data-disabled={!isReady || undefined}
          aria-disabled={!isReady || isBusy || undefined}
          aria-busy={isBusy || undefined}
          loading={isBusy}
          onClick={(event) => {
            if (!isReady || isBusy) return event.preventDefault();
            link.onClick(event);
          }}
        >
          {t("spreadsheets.download")}
        </Button>
        <output className="visually-hidden">{isBusy && t("spreadsheets.preparing")}</output>
      </Group>
    </Dialog>
  );
}

/** What the list asks for, without its page; several values of one parameter are joined by commas. */
function queryOfFile(query: ExportDialogProps["query"]): Record<string, string> {
  const kept = Object.entries(query).filter(
    ([name, value]) => name !== "_page" && name !== "_size" && value !== undefined && value !== "",
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function withLinksTogether(columns: readonly SpreadsheetColumn[], label: string): SpreadsheetColumn[] {
  const first = columns.findIndex(({ key }) => ofLink.test(key));
  const others = columns.filter(({ key }) => !ofLink.test(key));
  if (first >= 0) others.splice(first, 0, { key: links, heading: label });
  return others;
}
