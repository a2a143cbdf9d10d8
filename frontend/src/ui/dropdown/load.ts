// What opens beside buttons: a download of its own, of which no page shows anything before a button is pressed.

export const loadMenuList = () => import("./MenuList");
export const loadPopoverPanel = () => import("./PopoverPanel");

export async function loadDropdowns(): Promise<void> {
  await Promise.all([loadMenuList(), loadPopoverPanel()]);
}
