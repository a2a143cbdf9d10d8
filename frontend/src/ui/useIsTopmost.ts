// Of several dialogs over one another, Escape closes the topmost: each listens to the same key.
import { useEffect, useId, useSyncExternalStore } from "react";

let open: readonly string[] = [];
const listeners = new Set<() => void>();

function change(next: readonly string[]): void {
  open = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether nothing was opened over this dialog. */
export function useIsTopmost(isOpen = true): boolean {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    change([...open, id]);
    return () => change(open.filter((one) => one !== id));
  }, [id, isOpen]);
  return useSyncExternalStore(subscribe, () => !open.includes(id) || open.at(-1) === id);
}
