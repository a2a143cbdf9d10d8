// Where a menu leads: to the list, with the view that the user opens it with.
import { useQuery } from "@tanstack/react-query";
import { savedViews } from "./queries";

export function useDefaultAddress(isEnabled: boolean) {
  const { data = [] } = useQuery({ ...savedViews, enabled: isEnabled });
  return ({ path, list }: { path: string; list?: string }): string => {
    const view = list && data.find((one) => one.isDefault && one.list === list);
    return view ? `${path}?${view.query}` : path;
  };
}
