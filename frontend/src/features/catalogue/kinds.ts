// The kinds of content that the panel can edit, as far as menus and routes need to know them.
// Small on purpose: this is part of the first download. Types are in contents.ts, screens in contents/.
import type { Permission } from "../../access/permissions";

export const kinds = ["categories", "movies"] as const;
export type Kind = (typeof kinds)[number];

export interface ContentEntry {
  kind: Kind;
  /** The word that the permissions of this kind begin with. */
  entity: "CATEGORY" | "MOVIE";
  /** Who may open the list. */
  openTo: readonly Permission[];
  /** Turning an item on or off. */
  toggle: Permission;
  /** Whether an item has a page that only shows it. */
  hasDetails: boolean;
}

export const contentEntries: Record<Kind, ContentEntry> = {
  categories: {
    kind: "categories",
    entity: "CATEGORY",
    openTo: ["CATEGORY_READ", "CATEGORY_CREATE", "CATEGORY_UPDATE", "CATEGORY_DELETE"],
    toggle: "CATEGORY_TOGGLE_STATUS",
    hasDetails: false,
  },
  movies: {
    kind: "movies",
    entity: "MOVIE",
    openTo: ["MOVIE_READ"],
    toggle: "MOVIE_UPDATE",
    hasDetails: true,
  },
};
