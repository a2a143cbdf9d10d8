// The newest movements of a user's credits, which are reversed from here as in the credit history.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useUser } from "../../access/session";
import { OperationType } from "../../api/enums/OperationType.gen";
import { formatDayAndTime } from "../../i18n/dayAndTime";
import { labelOf } from "../../i18n/enums";
import { formatNumber, formatServiceDay } from "../../i18n/formats";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { MovementMarks } from "../../ui/MovementMarks";
import { canBeReversedBy, ReverseButton } from "../credits-history/ReverseButton";
import { Loaded, Part } from "./Part";
import { customerQueries, type Line } from "./queries";

const ReverseDialog = lazyPart(() => import("../credits-history/ReverseDialog"), { isDialog: true });

export function Movements({ username }: { username: string }) {
  const { t } = useTranslation();
  const movements = useQuery(customerQueries.movements(username));
  const [reversed, setReversed] = useState<Line>();
  return (
    <Part
      title={t("customer.movements")}
      aside={<Link to={paths.creditsHistoryOf(username)}>{t("customer.allMovements")}</Link>}
    >
      <Loaded of={movements} height={160}>
        {({ content: rows }) =>
          rows.length === 0 ? (
            <p className="quiet">{t("customer.noMovements")}</p>
          ) : (
            <ul className="customer-rows">
              {rows.map((movement) => (
                <Row key={movement.id} of={movement} onReverse={setReversed} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {reversed && <ReverseDialog line={reversed} onClose={() => setReversed(undefined)} />}
      </Suspense>
    </Part>
  );
}

function Row({ of: movement, onReverse }: { of: Line; onReverse: (line: Line) => void }) {
  const { t } = useTranslation();
  const user = useUser();
  const { amount } = movement;
  return (
    <li>
      <span className="customer-row-main">
        <span>
          {labelOf(OperationType, movement.operationType)}
          <MovementMarks of={movement} />
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
          {amount < 0 ? "−" : "+"}
          {formatNumber(Math.abs(amount))}
        </strong>
        <span className="quiet">
          {t("customer.balance", { number: formatNumber(movement.balanceAfter) })}
        </span>
      </span>
      {canBeReversedBy(user, movement) && <ReverseButton of={movement} onClick={onReverse} />}
    </li>
  );
}
