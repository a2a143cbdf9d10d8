// How far an operation is, and which operation undid it.
import { useTranslation } from "react-i18next";
import { OperationState } from "../../api/enums/OperationState.gen";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { isUnfinished, type Operation } from "../../operations/queries";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";

const tones: Record<Operation["state"], Tone> = {
  WAITING: "gray",
  RUNNING: "blue",
  FINISHED: "green",
  CANCELLED: "yellow",
  FAILED: "red",
};

export function Progress({ of: operation }: { of: Operation }) {
  return (
    <>
      <ToneBadge tone={tones[operation.state]}>{labelOf(OperationState, operation.state)}</ToneBadge>
      {isUnfinished(operation) && (
        <span className="tabular quiet">
          {" "}
          {formatNumber(operation.done)} / {formatNumber(operation.total)}
        </span>
      )}
    </>
  );
}

/** Which operation undid it. */
export function UndoneBy({ of: { undoneBy } }: { of: Operation }) {
  const { t } = useTranslation();
  return undoneBy == null ? null : ` · ${t("operations.page.undoneBy", { id: undoneBy })}`;
}
