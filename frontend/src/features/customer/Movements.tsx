// The newest movements of a user's credits.
import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { OperationType } from "../../api/enums/OperationType.gen";
import { formatDayAndTime } from "../../i18n/dayAndTime";
import { labelOf } from "../../i18n/enums";
import { formatNumber, formatServiceDay } from "../../i18n/formats";
import { paths } from "../../routing/paths";
import { Loaded, Part } from "./Part";
import { customerQueries, type Movement } from "./queries";

export function Movements({ username }: { username: string }) {
  const { t } = useTranslation();
  const movements = useQuery(customerQueries.movements(username));
  return (
    <Part
      title={t("customer.movements")}
      aside={<Link to={paths.creditsHistoryOf(username)}>{t("customer.allMovements")}</Link>}
    >
      <Loaded of={movements} height={160}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t("customer.noMovements")}</p>
          ) : (
            <ul className="customer-rows">
              {rows.map((movement) => (
                <Row key={movement.id} of={movement} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Part>
  );
}

function Row({ of: movement }: { of: Movement }) {
  const { t } = useTranslation();
  const change = movement.balanceAfter - movement.balanceBefore;
  return (
    <li>
      <span className="customer-row-main">
        <span>
          {labelOf(OperationType, movement.operationType)}
          {movement.reversed && (
            <>
              {" "}
              <Badge variant="light" color="gray" className="status-off">
                {t("customer.reversed")}
              </Badge>
            </>
          )}
        </span>
        <span className="quiet">
          <time dateTime={movement.operationDate}>{formatDayAndTime(movement.operationDate)}</time>
          {" · "}
          {movement.performedByUser.username}
          {movement.expirationAfter &&
            ` · ${t("customer.until", { day: formatServiceDay(movement.expirationAfter) })}`}
        </span>
        {movement.reason && <span className="quiet">{movement.reason}</span>}
      </span>
      <span className="customer-row-end tabular">
        <strong>
          {change < 0 ? "−" : "+"}
          {formatNumber(Math.abs(change))}
        </strong>
        <span className="quiet">
          {t("customer.balance", { number: formatNumber(movement.balanceAfter) })}
        </span>
      </span>
    </li>
  );
}
