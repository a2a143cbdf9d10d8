// Every operation with credits that one may see, one line each: the shared list, narrowed by user, performer, type and
// days, with what it adds up to and a file of it. Admins can reverse an operation from here.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useUser } from "../../access/session";
import { OperationType } from "../../api/enums/OperationType.gen";
import { optionsOf } from "../../i18n/enums";
import { paths } from "../../routing/paths";
import { icon } from "../../ui/icons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { isFiltered } from "../../ui/list/isFiltered";
import { ListScreen } from "../../ui/list/ListScreen";
import { listQuery } from "../../ui/list/listQuery";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { columns as columnsOf } from "./columns";
import "./credits-history.css";
import { lazyPart } from "../../loading/lazyPart";
import { LedgerFilters } from "./LedgerFilters";
import { UserName } from "./movements";
import { isAnswered, type Line, ledgerQueries } from "./queries";
import { canBeReversedBy, ReverseButton } from "./ReverseButton";
import { Totals } from "./Totals";
import { isSame, UserChip } from "./UserChip";

const ReverseDialog = lazyPart(() => import("./ReverseDialog"), { isDialog: true });
const ReversalRequests = lazyPart(() => import("./ReversalRequests"));
const StatementIcon = icon(<path d="M6 3h9l4 4v14H6zM9.5 10h6M9.5 14h6M9.5 18h3" />);
const defaults = {
  name: "credits-history",
  size: 10,
  filters: ["username", "operation", "from", "to", "performedBy"],
};
/** What the file has beside the columns of the list, or calls otherwise. */
const onlyInFile = [
  "operationId",
  "targetUserName",
  "accountUser",
  "performedBy",
  "expirationBefore",
  "expirationAfter",
  "reversed",
  "reversesOperationId",
];

export default function CreditsHistoryPage() {
  const { t } = useTranslation();
  const user = useUser();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(ledgerQueries.list(state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => ledgerQueries.list(next));
  const [reversed, setReversed] = useState<Line>();
  const columns = useInLanguage(columnsOf);
  const { username } = state.filters;
  const rows = list.data?.content;

  return (
    <>
      <ListScreen<Line>
        name={defaults.name}
        title={t("creditsHistory.title")}
        searchLabel={t("creditsHistory.search")}
        columns={columns}
        state={state}
        change={change}
        answer={{ ...answerOf(list), rows }}
        filters={[
          {
            key: "operation",
            label: t("creditsHistory.fields.operationType"),
            options: optionsOf(OperationType),
          },
        ]}
        aside={
          <>
            <StatementLink username={username} lines={rows} />
            {isAnswered(state) && (
              <ListExport
                list={defaults.name}
                file="spreadsheets/credits"
                query={listQuery(state)}
                total={list.data?.totalElements}
                columns={columns}
                also={onlyInFile}
              />
            )}
          </>
        }
        header={
          <>
            {username && (
              <UserChip
                username={username}
                lines={rows}
                onRemove={() => change({ filters: { username: undefined } })}
              />
            )}
            <Suspense fallback={null}>
              <ReversalRequests />
            </Suspense>
            <LedgerFilters
              filters={state.filters}
              isFiltered={isFiltered(state)}
              onChange={(filters) => change({ filters })}
            />
            <Totals state={state} />
          </>
        }
        identity={(line, leave) => <TargetLink of={line} listedUsername={username} onLeave={leave} />}
        actions={(line) => canBeReversedBy(user, line) && <ReverseButton of={line} onClick={setReversed} />}
        onIntent={prefetchNext}
      />
      <Suspense fallback={null}>
        {reversed && <ReverseDialog line={reversed} onClose={() => setReversed(undefined)} />}
      </Suspense>
    </>
  );
}

/** Leads to the statement of the agent whose operations are listed, otherwise to the choice of one. */
function StatementLink({ username, lines }: { username: string | undefined; lines: Line[] | undefined }) {
  const { t } = useTranslation();
  const hasStock =
    username !== undefined &&
    lines?.some(
      ({ creditType, accountUser }) => creditType === "SALE" && isSame(accountUser.username, username),
    );
  return (
    <Button
      component={Link}
      to={hasStock ? paths.statementOf(username) : paths.statements}
      variant="default"
      leftSection={<StatementIcon />}
      className="icon-on-phone"
    >
      {t("pages.statements")}
    </Button>
  );
}

interface TargetLinkProps {
  of: Line;
  /** The user whose operations are listed: a link to them would lead here. */
  listedUsername: string | undefined;
  onLeave: () => void;
}

/** Leads from an operation to all operations of its user. */
function TargetLink({ of: { id, targetUser }, listedUsername, onLeave }: TargetLinkProps) {
  if (listedUsername && isSame(listedUsername, targetUser.username)) return <UserName of={targetUser} />;
  return (
    <Link
      className="movement-target"
      to={paths.creditsHistoryOf(targetUser.username)}
      data-row={id}
      onClick={onLeave}
    >
      <UserName of={targetUser} />
    </Link>
  );
}
