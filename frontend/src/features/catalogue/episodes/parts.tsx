// Seasons and episodes as their lists show them, of one show or of all: columns, filters, what they are called, and where
// one is opened.
import { Link } from "react-router";
import type { rules } from "../../../api/rules.gen";
import { t, textAt, textNear } from "../../../i18n";
import { paths } from "../../../routing/paths";
import type { Column } from "../../../ui/list/columns";
import type { FilterChoice } from "../../../ui/list/filter";
import type { Row, Stored } from "../contents";
import {
  activeFilter,
  changeFilters,
  columnsOf,
  daysFilter,
  flagFilter,
  missingFilter,
  typedFilter,
} from "../define";
import { episodeAddress, episodeName, seasonAddress } from "./names";

/** What belongs to a show. */
export type PartKind = "seasons" | "episodes";

export interface PartDefinition<K extends PartKind> {
  kind: K;
  /** The name of its draft among the server's schemas. */
  schema: keyof typeof rules;
  columns: () => Column<Row<K>>[];
  filters: () => FilterChoice[];
  nameOf: (row: Row<K> | Stored<K>) => string;
  /** The address of its form, or of its list for users who may only read. */
  addressOf: (row: Row<K>, mayEdit: boolean) => string;
}

/** The show, with the way to all of it. */
function showColumn<R extends Row<PartKind>>(kind: PartKind): Column<R> {
  return {
    key: "tvShowId",
    label: textNear(`contents.${kind}`, "fields.tvShowId"),
    onCard: true,
    width: "clamp(8rem, 18vw, 16rem)",
    render: ({ tvShowId, tvShowTitle }) => (
      <Link to={paths.episodes(tvShowId)} className="cell-link">
        {tvShowTitle}
      </Link>
    ),
  };
}

const nameOfSeason = ({ seasonNumber, title }: Row<"seasons"> | Stored<"seasons">) => {
  const name = t("episodes.seasonNumber", { number: seasonNumber });
  return title ? `${name}: ${title}` : name;
};

export const seasonParts: PartDefinition<"seasons"> = {
  kind: "seasons",
  schema: "Season",
  nameOf: nameOfSeason,
  addressOf: seasonAddress,
  columns: () => {
    const column = columnsOf("seasons");
    return [
      column.identity("title"),
      showColumn("seasons"),
      column.number("seasonNumber", { sortable: true, width: "7rem", edits: "seasonNumber" }),
      column.number("episodeCount", { width: "7rem", onCard: true }),
      column.moment("airDate", { sortable: false, width: "9rem", isOptional: true }),
      column.active(nameOfSeason),
      ...column.dates(),
    ];
  },
  filters: () => [
    activeFilter("seasons"),
    missingFilter("seasons", "COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS"),
    daysFilter("seasons", "airDate"),
    ...changeFilters("seasons"),
  ],
};

export const episodeParts: PartDefinition<"episodes"> = {
  kind: "episodes",
  schema: "Episode",
  nameOf: episodeName,
  addressOf: episodeAddress,
  columns: () => {
    const column = columnsOf("episodes");
    return [
      // Its name has both numbers.
      column.identity("title", { inFile: ["seasonNumber", "episodeNumber"] }),
      showColumn("episodes"),
      column.number("seasonNumber", {
        sortable: true,
        isOptional: true,
        width: "7rem",
        edits: "seasonNumber",
      }),
      column.number("episodeNumber", {
        sortable: true,
        isOptional: true,
        width: "7rem",
        edits: "episodeNumber",
      }),
      column.moment("airDate", { width: "10.5rem", needsRoom: true }),
      column.number("durationMinutes", { isOptional: true, width: "8rem", edits: "durationMinutes" }),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.active(episodeName),
      ...column.dates(),
    ];
  },
  filters: () => [
    activeFilter("episodes"),
    missingFilter("episodes", "COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "LINKS"),
    flagFilter("episodes", "duplicated"),
    typedFilter("seasonNumber", textAt("contents.episodes.fields.seasonNumber"), "number"),
    typedFilter("linkUrl", textAt("contents.episodes.linkUrl"), "text"),
    daysFilter("episodes", "airDate"),
    ...changeFilters("episodes"),
  ],
};
