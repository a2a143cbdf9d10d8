// Removes the draft of a form that the user leaves without a confirmation: its values are quickly entered again, so that
// the draft is not proposed later.
import { useEffect, useRef } from "react";
import type { Draft } from "./draft";

interface Options {
  /** Whether the user is asked before the form is left. */
  isConfirmed: () => boolean;
  abandon: () => void;
}

export function useAbandonOnUnmount(draft: Draft<object>, { isConfirmed, abandon }: Options): void {
  const latest = useRef({ isConfirmed, abandon });
  latest.current = { isConfirmed, abandon };
  useEffect(
    () => () => {
      if (draft.isChanged() && !latest.current.isConfirmed()) latest.current.abandon();
    },
    [draft],
  );
}
