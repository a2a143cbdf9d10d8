// Imports a spreadsheet: a file is chosen, its columns are matched with fields, what would change is shown, and it is
// carried out as a bulk operation.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, type Problem } from "../api/problem";
import { importSpreadsheet, type UploadedSpreadsheet, uploadSpreadsheet } from "../api/resourceFiles";
import { useIdempotencyKey } from "../api/useIdempotencyKey";
import { LeaveGuard } from "../forms/LeaveGuard";
import { useDraftValue } from "../forms/useDraftForm";
import { type Operation, operationKeys } from "../operations/queries";
import { useDryRuns } from "../operations/useDryRuns";
import { confirm, type Question } from "../ui/confirm";
import { Dialog } from "../ui/Dialog";
import { ColumnMapping } from "./ColumnMapping";
import { DefaultValues, type RowDefault } from "./DefaultValues";
import { FileChoice } from "./FileChoice";
import { ImportPreview } from "./ImportPreview";
import { ImportProgress } from "./ImportProgress";
import "./import.css";
import { MatchedDraft, type MatchedDraftHandle } from "./MatchedDraft";
import { draftOfMatched, type Matched } from "./matched";
import type { ImportTarget } from "./target";

interface ImportDialogProps {
  target: ImportTarget;
  onClose: () => void;
}

interface Upload {
  file: File;
  worksheet?: string;
}

interface Run {
  sheet: number;
  columns: (string | null)[];
  defaults: RowDefault[];
  dryRun: boolean;
}

export default function ImportDialog({ target, onClose }: ImportDialogProps) {
  const { t } = useTranslation();
  const matched = useRef<MatchedDraftHandle>(null);
  const abandon = () => matched.current?.abandon();
  const of = useImport(target, abandon);
  const { uploaded, columns, defaults, preview, running } = of;
  /** What was matched is remembered once it is previewed; before that it would be lost without a word. */
  const isMatching = uploaded !== undefined && preview === undefined && running === undefined;
  const isChanged =
    isMatching &&
    (uploaded.columns.some(({ key }, at) => (key ?? null) !== columns[at]) ||
      defaults.some(({ key, value }) => value.trim() !== givenValue(target, key)));
  const question = {
    title: t("imports.leave.title"),
    consequence: t("imports.leave.consequence"),
    verb: t("imports.leave.verb"),
    cancel: t("imports.leave.cancel"),
  };
  const ask = async (then: () => void, confirmation: Question = question) => {
    if (!isChanged || (await confirm(confirmation))) then();
  };
  /** What was matched is left with what it was matched for. */
  const askToLeave = (then: () => void) =>
    void ask(() => {
      abandon();
      then();
    });
  const readWorksheet = (worksheet: string) =>
    void ask(() => of.readWorksheet(worksheet), {
      ...question,
      title: t("imports.anotherWorksheet", { worksheet }),
      verb: t("imports.readWorksheet"),
    });

  return (
    <Dialog title={t("imports.title")} onClose={() => askToLeave(onClose)} size="xl" isForm>
      {isChanged && <LeaveGuard question={question} onLeave={abandon} isKept />}
      {uploaded && (
        <MatchedDraft
          key={of.matched.number}
          ref={matched}
          resource={target.resource}
          uploaded={uploaded}
          draft={of.matched.draft}
          isKept={isChanged}
          isShown={isMatching}
        />
      )}
      {running !== undefined ? (
        <ImportProgress
          id={running}
          target={target}
          onUndo={of.setRunning}
          onAnother={of.startOver}
          onClose={onClose}
        />
      ) : preview !== undefined ? (
        <ImportPreview
          id={preview}
          target={target}
          failure={of.failure}
          isPending={of.isBeginning}
          onBack={of.leavePreview}
          onRun={of.carryOut}
        />
      ) : uploaded ? (
        <ColumnMapping
          uploaded={uploaded}
          columns={columns}
          onColumns={of.setColumns}
          onWorksheet={readWorksheet}
          failure={of.fileFailure ?? of.failure}
          isPending={of.isBeginning || of.reading !== undefined}
          onBack={() => askToLeave(of.startOver)}
          onPreview={of.showPreview}
        >
          <DefaultValues fields={uploaded.fields} defaults={defaults} onDefaults={of.setDefaults} />
        </ColumnMapping>
      ) : (
        <FileChoice
          target={target}
          reading={of.reading?.name}
          failure={of.fileFailure}
          onChoose={of.choose}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

/** A file on its way from being chosen to being imported. `onMatched`: what was matched is imported, or another sheet is read. */
function useImport(target: ImportTarget, onMatched: () => void) {
  const client = useQueryClient();
  const idempotency = useIdempotencyKey();
  const [file, setFile] = useState<File>();
  /** What was read last: it stays while another worksheet is read, and where that one can't be. */
  const [uploaded, setUploaded] = useState<UploadedSpreadsheet>();
  // Of each sheet that is read.
  const [matched, setMatched] = useState(() => ({
    number: 0,
    draft: draftOfMatched({ columns: [], defaults: [] }),
  }));
  const columns = useDraftValue<Matched["columns"]>(matched.draft, "columns");
  const defaults = useDraftValue<Matched["defaults"]>(matched.draft, "defaults");
  const [preview, setPreview] = useState<number>();
  const [running, setRunning] = useState<number>();

  const upload = useMutation<UploadedSpreadsheet, Problem, Upload>({
    mutationFn: ({ file, worksheet }) => uploadSpreadsheet(target.resource, file, worksheet),
    onSuccess: (uploaded) => {
      onMatched();
      setUploaded(uploaded);
      const found = uploaded.columns.map(({ key }) => key ?? null);
      const missing = (target.oftenMissing ?? []).map((key) => ({ key, value: "" }));
      const isMissing = (key: string) => !found.includes(key) && !found.includes(`${key}.name`);
      const begun = [...(target.defaults ?? []), ...missing].filter(({ key }) => isMissing(key));
      setMatched(({ number }) => ({
        number: number + 1,
        draft: draftOfMatched({ columns: found, defaults: begun }),
      }));
    },
  });
  const onBegun = useDryRuns(preview);
  const begin = useMutation<Operation, Problem, Run>({
    mutationFn: ({ sheet, ...body }) =>
      importSpreadsheet(
        target.resource,
        sheet,
        body,
        body.dryRun ? undefined : idempotency.keyFor({ sheet, ...body }),
      ),
    onSuccess: (begun) => {
      client.setQueryData(operationKeys.one(begun.id), begun);
      onBegun(begun);
    },
  });

  const choose = (chosen: File, worksheet?: string) => {
    setFile(chosen);
    begin.reset();
    upload.mutate({ file: chosen, worksheet });
  };
  const run = (dryRun: boolean, then: (id: number) => void) => {
    if (!uploaded) return;
    upload.reset();
    const filled = defaults.filter(({ value }) => value.trim() !== "");
    begin.mutate(
      { sheet: uploaded.id, columns, defaults: filled, dryRun },
      { onSuccess: (begun) => then(begun.id) },
    );
  };
  const startOver = () => {
    upload.reset();
    setUploaded(undefined);
    begin.reset();
    setPreview(undefined);
    setRunning(undefined);
  };
  const failure = begin.error ? messageOf(begin.error) : undefined;
  return {
    uploaded,
    matched,
    columns,
    setColumns: (next: Matched["columns"]) => matched.draft.set("columns", next),
    defaults,
    setDefaults: (next: Matched["defaults"]) => matched.draft.set("defaults", next),
    /** The operation that only shows what would change. */
    preview,
    /** The one that imports, or undoes. */
    running,
    setRunning,
    /** The file that is being read. */
    reading: upload.isPending ? file : undefined,
    fileFailure: upload.error ? fileFailure(upload.error) : undefined,
    failure,
    isBeginning: begin.isPending,
    choose,
    readWorksheet: (worksheet: string) => file && choose(file, worksheet),
    showPreview: () => run(true, setPreview),
    leavePreview: () => {
      begin.reset();
      setPreview(undefined);
    },
    carryOut: () =>
      run(false, (id) => {
        idempotency.forget();
        onMatched();
        setRunning(id);
      }),
    startOver,
  };
}

/** The value that the list where the import was opened gives. */
function givenValue({ defaults = [] }: ImportTarget, wanted: string): string {
  return defaults.find(({ key }) => key === wanted)?.value ?? "";
}

/** The error of a file has a field; the general message is redundant. */
function fileFailure(problem: Problem): string {
  return problem.violations[0]?.message ?? messageOf(problem);
}
