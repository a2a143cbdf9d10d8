// What was done with an account.
import { call } from "../../api/client";
import { RoleCode } from "../../api/enums/RoleCode.gen";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { FieldChanges } from "../../history/FieldChanges";
import { HistoryDialog } from "../../history/HistoryDialog";
import { textNear } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatMoment } from "../../i18n/formats";

interface UserHistoryProps {
  username: string;
  name: string;
  /** The present version. */
  version: number;
  onClose: () => void;
}

export default function UserHistory({ username, ...props }: UserHistoryProps) {
  return (
    <HistoryDialog
      {...props}
      queryKey={["users", username]}
      load={(page, signal) =>
        call("get", `/users/${encodeURIComponent(username)}/history`, { query: { _page: page }, signal })
      }
      changesOf={({ before, after }) => (
        <FieldChanges
          before={before}
          after={after}
          fieldLabel={(field) => textNear("users", `fields.${field}`)}
          valueLabel={valueLabel}
        />
      )}
    />
  );
}

function valueLabel(field: string, value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  if (field === "roleCode") return labelOf(RoleCode, value);
  if (field === "status") return labelOf(UserStatus, value);
  return ["expirationDate", "snoozedUntil"].includes(field) ? formatMoment(value) : undefined;
}
