// Restores a list when the user returns to it. Stores the address, the row and the scroll position of each
// list, for this tab only.
import { session } from "../../storage";

interface Left {
  address: string;
  row: string;
  scroll: number;
  /** The scroll position of the page around the table. */
  pageScroll: number;
  /** The ids of the rows in the order in which they were shown, once one was edited after the other. */
  queue?: number[];
}

const key = (list: string) => `cartelera.left.${list}`;

export function rememberListState(list: string, left: Left): void {
  session.write(key(list), left);
}

export function rememberedListState(list: string): Left | undefined {
  return session.read(key(list));
}

/** The address of "back to the list", with its last page, search and order. */
export function returnAddress(list: string, fallback: string): string {
  const left = rememberedListState(list);
  return left?.address.split("?")[0] === fallback ? left.address : fallback;
}
