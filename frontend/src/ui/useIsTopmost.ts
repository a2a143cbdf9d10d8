// Of several dialogs over one another, Escape closes the topmost: each listens to the same key.
import { useEffect, useId } from "react";

/** Those that are open, the topmost last. */
const open: string[] = [];

/** Whether this is the topmost dialog. */
export function useIsTopmost(isOpen = true): () => boolean {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    open.push(id);
    return () => void open.splice(open.indexOf(id), 1);
  }, [id, isOpen]);
  return () => open.at(-1) === id;
}
