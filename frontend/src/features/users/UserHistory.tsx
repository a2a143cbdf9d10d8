// What was done with an account; in its form, an earlier version can be restored.
import { useTranslation } from "react-i18next";
import { call } from "../../api/client";
import type { Draft, PartialDraft } from "../../forms/draft";
import { FieldChanges } from "../../history/FieldChanges";
import { HistoryDialog } from "../../history/HistoryDialog";
import { textNear } from "../../i18n";
import { askAndReplace } from "../../ui/askAndClose";
import { toast } from "../../ui/toast";
import type { EditableFields } from "./editing";
import type { UserEdit } from "./user";

interface UserHistoryProps {
  username: string;
  name: string;
  /** The present version. */
  version: number;
  /** The form that an earlier version goes into. */
  form?: { draft: Draft<UserEdit>; editable: EditableFields };
  onClose: () => void;
}

export default function UserHistory({ username, form, ...props }: UserHistoryProps) {
  const { t } = useTranslation();
  const restore = (version: number, { draft, editable }: NonNullable<typeof form>, content: object) =>
    askAndReplace(draft.isChanged(), () => {
      draft.merge(restorable(content as PartialDraft<UserEdit>, editable));
      props.onClose();
      const message = editable.setsRole ? "history.restoredWithRole" : "history.restoredUser";
      if (draft.isChanged()) toast.success(t(message, { version }));
      else toast.success(t("history.sameUser", { version }));
    });
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
      onRestore={
        form &&
        (async (version) => {
          const { content } = await call("get", `/users/${encodeURIComponent(username)}/history/${version}`);
          void restore(version, form, content);
        })
      }
    />
  );
}

/** What of an earlier version may go into the form: status, role and agent only where they could be chosen there. */
function restorable(
  { status, roleCode, registeredBy, ...others }: PartialDraft<UserEdit>,
  { setsStatus, statuses, setsRole, roles, setsRegistrar }: EditableFields,
): PartialDraft<UserEdit> {
  return {
    ...others,
    ...(setsStatus && status && status in statuses && { status }),
    ...(setsRole && roleCode && roles.includes(roleCode) && { roleCode }),
    ...(setsRegistrar && registeredBy !== undefined && { registeredBy }),
  };
}
