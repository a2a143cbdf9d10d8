// What a form edits, the version it saves over, and the choice when somebody else was first. Answers what the shared
// piece of the catalogue's forms will, and gives way to it.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf, Problem } from "../../api/problem";
import type { Draft, Unfinished } from "../../forms/draft";
import { toast } from "../../ui/toast";
import { ConflictDialog } from "../catalogue/ConflictDialog";

interface Edit<D extends object, Stored> {
  draft: Draft<D>;
  stored: Stored;
  labels: string;
  /** Saves the draft over this version, and leaves the form. */
  saveOver: (version: number) => Promise<void>;
}

export function useConflict<D extends object, Stored extends { version: number }>({
  draft,
  stored,
  labels,
  saveOver,
}: Edit<D, Stored>) {
  const { t } = useTranslation();
  // What the form began with; a background refresh must not pull it from under the person's hands.
  const [base, setBase] = useState(stored);
  const [theirs, setTheirs] = useState<Stored>();
  const baseOn = (version: number) => setBase((before) => ({ ...before, version }));

  /** Takes over a failure that is a conflict; true when it did. */
  const takeOver = (error: unknown): boolean => {
    if (!(error instanceof Problem) || error.code !== "VERSION_CONFLICT" || !error.current) return false;
    setTheirs(error.current as Stored);
    return true;
  };

  const takeTheirs = (item: Stored) => {
    draft.reset(item as unknown as Unfinished<D>);
    setBase(item);
    setTheirs(undefined);
  };

  const keepMine = async ({ version }: Stored) => {
    try {
      await saveOver(version);
    } catch (error) {
      // Changed once more meanwhile, or refused: the draft stays, and so does the choice.
      if (takeOver(error)) return;
      if (error instanceof Problem) draft.accuse(error.violations);
      baseOn(version);
      setTheirs(undefined);
      toast.failure(t("form.notSaved"), messageOf(error));
    }
  };

  const dialog = theirs && (
    <ConflictDialog
      labels={labels}
      mine={draft.finished()}
      before={base}
      theirs={theirs}
      onTheirs={() => takeTheirs(theirs)}
      onMine={() => keepMine(theirs)}
      onClose={() => setTheirs(undefined)}
    />
  );
  return { base, baseOn, takeOver, dialog };
}
