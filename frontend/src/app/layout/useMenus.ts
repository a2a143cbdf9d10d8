// The menus that the signed-in user may see.
import { meets } from "../../access/permissions";
import { useUser } from "../../access/session";
import { type Menu, menus } from "../navigation";

export function useMenus(): Menu[] {
  const user = useUser();
  return menus
    .map((menu) => ({
      ...menu,
      entries: menu.entries.filter((entry) =>
        meets(user, { anyOf: entry.anyOf, adminOnly: entry.adminOnly }),
      ),
    }))
    .filter((menu) => menu.entries.length > 0);
}
