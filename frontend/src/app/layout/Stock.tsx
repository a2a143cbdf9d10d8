// How many credits an agent has left to sell, always in sight; fetched with the first page.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { lowStock } from "../../access/lowStock";
import { useMay } from "../../access/session";
import { dashboardQueries } from "../../features/dashboards/queries";
import { CreditsIcon } from "../../features/users/icons";
import { formatNumber } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import "./stock.css";

export default function Stock() {
  const { t } = useTranslation();
  const may = useMay();
  const { data } = useQuery(dashboardQueries.agent);
  if (!data) return null;
  const number = formatNumber(data.totalSaleCredits);
  const label = t("layout.stock", { number });
  const content = (
    <>
      <CreditsIcon size={18} />
      <span aria-hidden="true" className="tabular">
        {number}
      </span>
      <span className="visually-hidden">{label}</span>
    </>
  );
  const look = {
    className: "stock",
    title: label,
    "data-low": data.totalSaleCredits < lowStock || undefined,
  };
  return may("CREDIT_HISTORY_READ") ? (
    <Link to={paths.creditsHistory} {...look}>
      {content}
    </Link>
  ) : (
    <span {...look}>{content}</span>
  );
}
