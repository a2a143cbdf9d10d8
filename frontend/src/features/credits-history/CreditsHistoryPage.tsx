// Every movement of credits that one may see: the shared list, for one person where the address says so. Admins can
// take an operation back from here.
import { ActionIcon } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isAdmin } from "../../access/permissions";
import { useUser } from "../../access/session";
import { paths } from "../../app/paths";
import { UndoIcon } from "../../ui/icons";
import { answerOf } from "../../ui/list/answer";
import { ListScreen } from "../../ui/list/ListScreen";
import { useListAddress } from "../../ui/list/useListAddress";
import { columns as columnsOf } from "./columns";
import "./credits-history.css";
import { lazyPart } from "../../loading/lazyPart";
import { Person, signedAmount } from "./movements";
import { PersonChip } from "./PersonChip";
import { type Movement, movementQueries } from "./queries";

const ReverseDialog = lazyPart(() => import("./ReverseDialog"), { isDialog: true });
const defaults = { name: "credits-history", size: 10, filters: ["username"] };

export default function CreditsHistoryPage() {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const user = useUser();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(movementQueries.list(state));
  const [asked, setAsked] = useState<Movement>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels follow the language
  const columns = useMemo(() => columnsOf(), [i18n.language]);
  const { username } = state.filters;
  const rows = list.data?.content;

  return (
    <>
      <ListScreen<Movement>
        name={defaults.name}
        title={t("creditsHistory.title")}
        searchLabel={t("creditsHistory.search")}
        columns={columns}
        state={state}
        change={change}
        answer={{ ...answerOf(list), rows }}
        above={
          username && (
            <PersonChip
              username={username}
              movements={rows}
              onRemove={() => change({ filters: { username: undefined } })}
            />
          )
        }
        identity={({ id, targetUser }, leave) =>
          username ? (
            <Person of={targetUser} />
          ) : (
            <Link
              className="movement-target"
              to={paths.creditsHistoryOf(targetUser.username)}
              data-row={id}
              onClick={leave}
            >
              <Person of={targetUser} />
            </Link>
          )
        }
        actions={
          isAdmin(user)
            ? (movement) => isReversible(movement) && <ReverseButton of={movement} onClick={setAsked} />
            : undefined
        }
        onIntent={() => {
          if (state.page + 1 < (list.data?.totalPages ?? 0))
            void client.prefetchQuery(movementQueries.list({ ...state, page: state.page + 1 }));
        }}
      />
      <Suspense fallback={null}>
        {asked && <ReverseDialog movement={asked} among={rows ?? []} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  );
}

/** Once only, and a reversal stands. */
function isReversible({ reversed, reversesOperationId }: Movement): boolean {
  return !reversed && reversesOperationId === null;
}

function ReverseButton({ of: movement, onClick }: { of: Movement; onClick: (movement: Movement) => void }) {
  const { t } = useTranslation();
  const label = t("creditsHistory.reverse.of", {
    amount: signedAmount(movement),
    name: movement.targetUser.fullName,
  });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => onClick(movement)}
    >
      <UndoIcon />
    </ActionIcon>
  );
}
