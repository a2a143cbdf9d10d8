// What opens beside buttons: a download of its own, of which no page shows anything before a button is pressed.
import { lazyPart } from "../../loading/lazyPart";

export const MenuList = lazyPart(() => import("./MenuList"), { isDialog: true });
export const PopoverPanel = lazyPart(() => import("./PopoverPanel"), { isDialog: true });

export async function loadDropdowns(): Promise<void> {
  await Promise.all([MenuList.preload(), PopoverPanel.preload()]);
}
