import { t } from "../i18n";

/**
 * What an item is called that the server names in operations, the trash and the audit log: a season by its number. The texts
 * of series are there.
 */
export function itemName(resource: string, title: string): string {
  return resource === "seasons" && title !== "" ? t("episodes.seasonNumber", { number: title }) : title;
}
