// What was done with an account.
import { call } from "../../api/client";
import { FieldChanges } from "../../history/FieldChanges";
import { HistoryDialog } from "../../history/HistoryDialog";
import { textNear } from "../../i18n";

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
          resource="users"
          before={before}
          after={after}
          fieldLabel={(field) => textNear("users", `fields.${field}`)}
        />
      )}
    />
  );
}
