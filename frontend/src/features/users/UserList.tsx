// The list of users: the shared list, fed from the server, with the actions that the user may take, and the credit
// dialog of whom the address names.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isAdmin } from "../../access/permissions";
import { useMay, useUser } from "../../access/session";
import { RoleCode } from "../../api/enums/RoleCode.gen";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { loadTexts } from "../../i18n";
import { optionsOf } from "../../i18n/enums";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import type { FilterChoice } from "../../ui/list/filter";
import { ListScreen } from "../../ui/list/ListScreen";
import { seldomShown } from "../../ui/list/seldomShown";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { type ListState, useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { useSelection } from "../../ui/list/useSelection";
import { type ListedUser, userColumns } from "./columns";
import { listQuery, ownFilters, userQueries } from "./queries";
import { UserActions } from "./UserActions";
import { useOpenCredits } from "./useOpenCredits";
import { rolesInSight, type UserRow } from "./user";

const CreditDialog = lazyPart(async () => ({ default: (await import("./CreditDialog")).CreditDialog }), {
  isDialog: true,
});

const ResetPasswordDialog = lazyPart(
  async () => ({ default: (await import("./ResetPasswordDialog")).ResetPasswordDialog }),
  { isDialog: true },
);

const UserSelectionBar = lazyPart(
  async () => (await Promise.all([import("./UserSelectionBar"), loadTexts("operations")]))[0],
);

const UserImport = lazyPart(
  async () => (await Promise.all([import("./UserImport"), loadTexts("imports", "operations")]))[0],
);

const AgentFilter = seldomShown(() => import("./AgentFilter"));

const DayRange = seldomShown(() => import("../../forms/DayRange"));

const defaults = {
  name: "users",
  size: 10,
  sort: "-id",
  filters: ["status", "roleCode", "account", ...ownFilters],
};

/** Columns that the file has in addition to those of the list: identity and contact. */
const contact = ["username", "email", "phoneNumber"];

function queryOfFile(state: ListState): Record<string, string | undefined> {
  const { expired, aboutToExpire, ...query } = listQuery(state);
  return {
    ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value?.toString()])),
    expired: expired && "true",
    aboutToExpire: aboutToExpire && "true",
  };
}

export function UserList() {
  const { t } = useTranslation();
  const caller = useUser();
  const may = useMay();
  const credits = useOpenCredits();
  const [resetting, setResetting] = useState<UserRow>();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(userQueries.list(state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => userQueries.list(next));
  const selection = useSelection(state);
  const hasSelected = selection.everything || selection.ids.length > 0;
  const rows = useMemo(
    () => list.data?.content.map((user): ListedUser => ({ ...user, id: user.username })),
    [list.data],
  );
  const columns = useInLanguage(userColumns);

  return (
    <>
      <ListScreen<ListedUser>
        name={defaults.name}
        title={t("pages.users")}
        searchLabel={t("users.search")}
        columns={columns}
        filters={useFilters()}
        state={state}
        change={change}
        answer={{ ...answerOf(list), rows }}
        aside={
          <>
            {isAdmin(caller) && (
              <Suspense fallback={<span style={{ width: 36 }} />}>
                <UserImport />
              </Suspense>
            )}
            <ListExport
              list={defaults.name}
              file="spreadsheets/users"
              query={queryOfFile(state)}
              total={list.data?.totalElements}
              columns={columns}
              also={contact}
            />
          </>
        }
        create={may("USER_CREATE") ? { to: paths.newUser, label: t("users.create") } : undefined}
        identity={(row, leave) => (
          <span className="row-title row-user">
            <Link to={paths.user(row.username)} data-row={row.username} onClick={leave}>
              {row.fullName}
            </Link>
            <span className="user-username">{row.username}</span>
            {state.filters.account && state.filters.account !== row.status && (
              <span className="row-note">{t("list.noLongerFits")}</span>
            )}
          </span>
        )}
        actions={(row, leave) => (
          <UserActions
            row={row}
            onLeave={leave}
            onCredits={() => credits.open(row.username)}
            onPassword={() => setResetting(row)}
            onDeleted={selection.forget}
          />
        )}
        selectable={isAdmin(caller) ? { selection, nameOf: (row) => row.fullName } : undefined}
        selected={
          hasSelected && (
            <Suspense fallback={null}>
              <UserSelectionBar selection={selection} state={state} total={list.data?.totalElements} />
            </Suspense>
          )
        }
        onIntent={prefetchNext}
      />
      {resetting && (
        <Suspense fallback={null}>
          <ResetPasswordDialog user={resetting} onClose={() => setResetting(undefined)} />
        </Suspense>
      )}
      {credits.username && (
        <Suspense fallback={null}>
          <CreditDialog key={credits.username} username={credits.username} onClosed={credits.close} />
        </Suspense>
      )}
    </>
  );
}

function useFilters(): FilterChoice[] {
  const { t } = useTranslation();
  const inSight = rolesInSight(useUser()) as readonly string[];
  return [
    {
      key: "status",
      label: t("users.subscription.label"),
      options: (["expired", "aboutToExpire"] as const).map((value) => ({
        value,
        label: t(`users.subscription.${value}`),
        heading: t(
          value === "expired" ? "users.subscription.onlyExpired" : "users.subscription.onlyAboutToExpire",
        ),
      })),
    },
    {
      key: "roleCode",
      label: t("users.columns.role"),
      options: optionsOf(RoleCode).filter(({ value }) => inSight.includes(value)),
    },
    {
      key: "account",
      label: t("users.account"),
      options: optionsOf(UserStatus).map((option) => ({
        ...option,
        heading: t(`users.onlyWith.${option.value as UserRow["status"]}`),
      })),
    },
    ...(["registeredBy", "beneath"] as const).map(
      (key): FilterChoice => ({
        key,
        label: t(key === "beneath" ? "users.beneath" : "users.columns.registeredBy"),
        input: "several",
        options: [],
        Panel: AgentFilter,
      }),
    ),
    ...(["expirationDate", "createdDate"] as const).map(
      (key): FilterChoice => ({
        key,
        label: t(`users.columns.${key}`),
        input: "days",
        options: [],
        Panel: DayRange,
      }),
    ),
  ];
}
