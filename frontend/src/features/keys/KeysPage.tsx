// API keys: created here, shown once, reviewed and revoked.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { messageOf } from "../../api/problem";
import { confirm } from "../../ui/confirm";
import { ViewIcon } from "../../ui/icons";
import { ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";
import { columns as columnsOf, scopesOf } from "./columns";
import { RevokeIcon } from "./icons";
import "./keys.css";
import { lazyPart } from "../../loading/lazyPart";
import { type Key, keyQueries, useRevoke } from "./queries";

const NewKeyDialog = lazyPart(() => import("./NewKeyDialog"), { isDialog: true });
const KeyDialog = lazyPart(() => import("./KeyDialog"), { isDialog: true });
const defaults = { name: "integrator-keys", size: 10, filters: [] };

export default function KeysPage() {
  const { t } = useTranslation();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(keyQueries.list(state));
  const revoking = useRevoke();
  const [isMaking, setIsMaking] = useState(false);
  const [shown, setShown] = useState<Key>();
  const columns = useInLanguage(columnsOf);

  const revoke = async (key: Key) => {
    const goesAhead = await confirm({
      title: t("keys.revoke.title"),
      consequence: t("keys.revoke.consequence", { name: key.name, scopes: scopesOf(key) }),
      verb: t("keys.revoke.verb"),
    });
    if (!goesAhead) return;
    // Callbacks of `mutate` are dropped when another key is revoked meanwhile; its promise settles for each.
    revoking.mutateAsync(key).then(
      () => toast.success(t("keys.revoke.done", { name: key.name })),
      (error) => toast.failure(t("keys.revoke.failed"), messageOf(error)),
    );
  };

  return (
    <>
      <ListScreen<Key>
        name={defaults.name}
        title={t("keys.title")}
        searchLabel={t("keys.search")}
        columns={columns}
        state={state}
        change={change}
        answer={answerOf(list)}
        aside={
          <ListExport
            list={defaults.name}
            file="spreadsheets/integrator-keys"
            query={listQuery(state)}
            total={list.data?.totalElements}
            columns={columns}
          />
        }
        create={{ label: t("keys.create"), onClick: () => setIsMaking(true) }}
        identity={(key) => (
          <button type="button" className="key-name" data-row={key.id} onClick={() => setShown(key)}>
            {key.name}
          </button>
        )}
        actions={(key) => (
          <ActionButtons
            name={key.name}
            actions={[
              {
                label: t("keys.see", { name: key.name }),
                verb: t("keys.seeVerb"),
                Icon: ViewIcon,
                onClick: () => setShown(key),
              },
              ...(key.state === "REVOKED"
                ? []
                : [
                    {
                      label: t("keys.revoke.of", { name: key.name }),
                      verb: t("keys.revoke.verb"),
                      Icon: RevokeIcon,
                      onClick: () => void revoke(key),
                    },
                  ]),
            ]}
          />
        )}
      />
      <Suspense fallback={null}>
        {isMaking && <NewKeyDialog onClose={() => setIsMaking(false)} />}
        {shown && <KeyDialog of={shown} onClose={() => setShown(undefined)} />}
      </Suspense>
    </>
  );
}
