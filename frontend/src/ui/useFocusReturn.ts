// A dialog that is unmounted returns the focus to the element that opened it. The library does so only for dialogs that stay
// mounted while closed; those of the panel are mounted only while open.
import { useEffect, useState } from "react";

export function useFocusReturn(): void {
  const [opener] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      // After the unmount. An element that has the focus by then, of another dialog or page, keeps it.
      setTimeout(() => {
        if (document.activeElement !== document.body || opener === document.body) return;
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** The opener; for an entry of a menu, which is removed with the menu, the button of the menu. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest("[role=menu]");
  return menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : focused;
}
