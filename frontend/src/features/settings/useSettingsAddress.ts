// Where one is on the settings page: the tab and what is being edited are in the address, so that both can be shared,
// gone back to, and left only with a question where something was written.
import { useSearchParams } from "react-router";
import { isOneOf, type Known, plainRows } from "../../routing/knownAddress";

export const tabs = ["images", "control", "messages", "renewals"] as const;
export type Tab = (typeof tabs)[number];

const isEntry = (text: string) => /^[1-9]\d{0,14}$/.test(text);

export const known: Known = {
  tab: isOneOf(tabs),
  edit: (value) => value === "new" || isEntry(value),
  ...plainRows,
};

export function useSettingsAddress() {
  const [address, setAddress] = useSearchParams();
  const wanted = address.get("tab");
  const tab: Tab = tabs.find((one) => one === wanted) ?? "images";
  const edit = address.get("edit") ?? "";
  // The page and the search of the tab's list stay where they are.
  const put = (what?: string) =>
    setAddress((before) => {
      const after = new URLSearchParams(before);
      if (what) after.set("edit", what);
      else after.delete("edit");
      return after;
    });
  return {
    tab,
    /** «new», or the id of what is edited. */
    editing: edit === "new" ? ("new" as const) : isEntry(edit) ? Number(edit) : undefined,
    open: (to: Tab) => setAddress(to === "images" ? {} : { tab: to }),
    edit: (what: "new" | number) => put(String(what)),
    close: () => put(),
  };
}
