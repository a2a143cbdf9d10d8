// A dialog that goes gives the focus back to what opened it. The library does so for a dialog that stays on the page while it
// is closed; those of the panel are there only while they are open.
import { useEffect, useState } from "react";

export function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Once it is gone. Where something else has the focus by then, a dialog over this one or another page, it keeps it.
      setTimeout(() => {
        if (document.activeElement !== document.body || opener === document.body) return;
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}
