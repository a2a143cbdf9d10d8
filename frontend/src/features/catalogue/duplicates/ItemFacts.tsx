// The facts that distinguish an item from another one of the same name.
import { useTranslation } from "react-i18next";
import type { DuplicateGroup } from "../../../api/resourceItems";
import { formatNumber } from "../../../i18n/formats";
import { episodePlace } from "../episodes/names";

export type DuplicateItem = DuplicateGroup["items"][number];

export function ItemFacts({ of: item }: { of: DuplicateItem }) {
  const { t } = useTranslation();
  const count = (key: "links" | "views", number: number) =>
    t(`completeness.duplicates.${key}`, { count: number, number: formatNumber(number) });
  const { showTitle, seasonNumber, episodeNumber } = item;
  const facts = [
    showTitle,
    seasonNumber !== null && episodeNumber !== null && episodePlace({ seasonNumber, episodeNumber }),
    `ID ${item.id}`,
    item.year,
    item.imdbId,
    item.links === null ? undefined : count("links", item.links),
    count("views", item.views),
    item.active ? undefined : t("status.inactive"),
  ];
  return <span className="quiet tabular">{facts.filter(Boolean).join(" · ")}</span>;
}
