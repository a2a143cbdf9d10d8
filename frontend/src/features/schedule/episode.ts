// The number of an episode, as short as it fits in a row: "S1 E3", or as the guide writes it.
import { t } from "../../i18n";
import type { Programme } from "./queries";

export function shortEpisode({ season, episode, episodeText }: Programme): string | null {
  if (!episode) return episodeText;
  return season
    ? t("schedule.seasonAndEpisode", { season, episode })
    : t("schedule.episode", { number: episode });
}
