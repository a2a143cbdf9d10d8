// The badges of a movement of credits that is not an ordinary sale: reversed, a reversal, imported.
import { Badge } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";

interface MovementMarksProps {
  of: { reversed: boolean; reversesOperationId: number | null; imported: boolean };
}

/** Each with a blank before it, for the text that the row is read as. The texts are those of the credit history. */
export function MovementMarks({ of: { reversed, reversesOperationId, imported } }: MovementMarksProps) {
  const { t } = useTranslation();
  const marks = { reversed, reversal: reversesOperationId !== null, imported };
  return (["reversed", "reversal", "imported"] as const)
    .filter((mark) => marks[mark])
    .map((mark) => (
      <Fragment key={mark}>
        {" "}
        <Badge variant="light" color="gray" className="status-off">
          {t(`creditsHistory.${mark}`)}
        </Badge>
      </Fragment>
    ));
}
