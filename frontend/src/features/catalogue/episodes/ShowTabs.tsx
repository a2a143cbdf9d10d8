// Tabs with the lists of shows, of all seasons and of all episodes.
import { useTranslation } from "react-i18next";
import { NavLink } from "react-router";
import { textAt } from "../../../i18n";
import { paths } from "../../../routing/paths";
import "./episodes.css";

export function ShowTabs() {
  const { t } = useTranslation();
  return (
    <nav className="parts" aria-label={t("series.lists")}>
      {["tv-shows", "seasons", "episodes"].map((kind) => (
        <NavLink key={kind} to={paths.contents(kind)} end>
          {textAt(`pages.${kind}`)}
        </NavLink>
      ))}
    </nav>
  );
}
