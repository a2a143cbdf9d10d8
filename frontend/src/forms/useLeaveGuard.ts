// Leaving a page, or going back, confirms once while something typed would be lost.
import { useCallback, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { type BlockerFunction, useBlocker } from "react-router";
import { useSession } from "../access/session";
import { confirm, type Question } from "../ui/confirm";
// The question comes with the form that it guards.
import "../ui/ConfirmDialog";
import { useForm } from "./useDraftForm";
import { addressOf } from "./useKeptDraft";

export function useLeaveGuard(
  isChanged: () => boolean,
  onLeave?: () => void,
  /** The part of the address that what was typed belongs to. */
  placeOf = addressOf,
  /** Where it is not changes that would be lost. */
  question?: Question,
) {
  const { t } = useTranslation();
  const { state } = useSession();
  const isIn = state.status === "in";
  const latest = useRef({ isChanged, isIn, onLeave, placeOf, question });
  latest.current = { isChanged, isIn, onLeave, placeOf, question };
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  // One function for all renders: the router gets a new one some time after the page shows what it goes by.
  const blocks = useCallback<BlockerFunction>(({ currentLocation, nextLocation }) => {
    const { isChanged, isIn, placeOf } = latest.current;
    // A session that ended leaves no choice, and a draft that was saved a moment ago nothing to ask about.
    return isIn && isChanged() && placeOf(currentLocation) !== placeOf(nextLocation);
  }, []);
  const blocker = useBlocker(blocks);

  useEffect(() => {
    if (blocker.state !== "blocked") return;
    if (!isIn) return blocker.proceed();
    const usual = {
      title: t("form.leaveTitle"),
      consequence: t("form.leaveConsequence"),
      verb: t("form.leaveVerb"),
      cancel: t("form.leaveCancel"),
    };
    void confirm(latest.current.question ?? usual).then((leaves) => {
      // What it guarded may be done meanwhile, and the guard gone with it: the user stays.
      if (!isThere.current) return;
      if (!leaves) return blocker.reset();
      latest.current.onLeave?.();
      blocker.proceed();
    });
  }, [blocker, isIn, t]);
}

/** The same for a dialog of a form: the router has one guard at a time, which is the form's. */
export function useDialogLeaveGuard(isChanged: () => boolean, abandon: () => void) {
  const { draft } = useForm();
  const latest = useRef({ isChanged, abandon });
  latest.current = { isChanged, abandon };
  useEffect(
    () =>
      draft.addDialog({
        isChanged: () => latest.current.isChanged(),
        abandon: () => latest.current.abandon(),
      }),
    [draft],
  );
}
