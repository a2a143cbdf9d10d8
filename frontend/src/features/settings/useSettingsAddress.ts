// Where one is on the settings page: the tab and what is being edited are in the address, so that both can be shared,
// gone back to, and left only with a question where something was written.
import { useSearchParams } from "react-router";

export const tabs = ["images", "control", "messages", "renewals"] as const;
export type Tab = (typeof tabs)[number];

export function useSettingsAddress() {
  const [address, setAddress] = useSearchParams();
  const wanted = address.get("tab");
  const tab: Tab = tabs.find((one) => one === wanted) ?? "images";
  const edit = address.get("edit") ?? "";
  const go = (to: Tab, what?: string) =>
    setAddress({ ...(to !== "images" && { tab: to }), ...(what && { edit: what }) });
  return {
    tab,
    /** «new», or the id of what is edited. */
    editing: edit === "new" ? ("new" as const) : /^\d{1,15}$/.test(edit) ? Number(edit) : undefined,
    open: (to: Tab) => go(to),
    edit: (what: "new" | number) => go(tab, String(what)),
    close: () => go(tab),
  };
}
