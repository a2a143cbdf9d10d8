// The last step of an import: how far it is, what came of it, and the way back.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { changedLists } from "../operations/changedLists";
import { PartialRows } from "../operations/PartialRows";
import { RunningOperation } from "../operations/RunningOperation";
import { ImportRows, RefusedRows } from "./ImportRows";
import type { ImportTarget } from "./target";

interface ImportProgressProps {
  id: number;
  target: ImportTarget;
  /** The operation that undoes this one has begun. */
  onUndo: (id: number) => void;
  onAnother: () => void;
  onClose: () => void;
}

export function ImportProgress({ id, target, onUndo, onAnother, onClose }: ImportProgressProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return (
    <RunningOperation
      id={id}
      text={() => t("imports.running")}
      onEnded={({ resource }) => {
        for (const queryKey of [target.lists, ...changedLists(resource)])
          void client.invalidateQueries({ queryKey });
      }}
      onUndo={onUndo}
      onClose={onClose}
      details={(operation) => (
        <>
          <PartialRows operation={operation} fieldLabel={target.fieldLabel} valueLabel={target.valueLabel} />
          <ImportRows operation={operation} target={target} onlyProblems />
          {operation.undoOf == null && <RefusedRows operation={operation} />}
        </>
      )}
      next={
        <Button variant="default" onClick={onAnother}>
          {t("imports.another")}
        </Button>
      }
    />
  );
}
