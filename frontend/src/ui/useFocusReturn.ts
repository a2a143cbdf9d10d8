// A dialog that goes gives the focus back to what opened it. The library does so for a dialog that stays on the page while it
// is closed; those of the panel are there only while they are open.
import { useEffect, useState } from "react";

export function useFocusReturn(): void {
  const [opener] = useState(() => openerOf(document.activeElement));
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

/** An entry of a menu is gone once the menu is closed: its opener is the button of the menu, which names it. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest("[role=menu]");
  return menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : focused;
}
