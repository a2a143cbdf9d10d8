// Which customers are shown: the window of days, in the address like everything else of a list.
import { useCallback } from "react";
import { useSearchParams } from "react-router";
import { RenewalWindow as labels } from "../../api/enums/RenewalWindow.gen";
import type { RenewalWindow } from "./queries";

export const windows = Object.keys(labels) as RenewalWindow[];
const first: RenewalWindow = "DAYS_7";

export function useWindow() {
  const [address] = useSearchParams();
  const wanted = address.get("window")?.toUpperCase();
  const window = windows.find((one) => one === wanted) ?? first;
  /** Another window starts at its first page, with the same search. */
  const linkTo = useCallback(
    (next: RenewalWindow) => {
      const after = new URLSearchParams(address);
      after.delete("page");
      after.set("window", next.toLowerCase());
      return { search: `?${after}` };
    },
    [address],
  );
  return { window, linkTo };
}
