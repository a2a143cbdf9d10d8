// Going back to a list means going back to the row that was left. Remembers, per list, its whole address,
// the row and how far the table was scrolled; for this tab only.
import { session } from "../../storage";

interface Left {
  address: string;
  row: string;
  scroll: number;
  /** How far the page around the table was scrolled. */
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

/** Where "back to the list" leads: to the page, search and order that were left. */
export function returnAddress(list: string, fallback: string): string {
  const left = rememberedListState(list);
  return left?.address.split("?")[0] === fallback ? left.address : fallback;
}
