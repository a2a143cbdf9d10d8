// All requests of the panel about users, and what it keeps of the answers. Credits are in credits.ts.
import {
  hashKey,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call } from "../../api/client";
import { UserStatus } from "../../api/enums/UserStatus.gen";
import { messageOf, Problem } from "../../api/problem";
import { freshness } from "../../api/queryClient";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { changedLists, forgetPages, rowFieldsOf, stopReading, withRow } from "../../operations/changedLists";
import { fromAddress } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";
import { sessionQueries } from "../sessions/queries";
import {
  type NewUser,
  needsCreditsToActivate,
  type User,
  type UserEdit,
  type UserPage,
  type UserRow,
} from "./user";

const userKeys = {
  lists: ["users", "list"] as const,
  one: (username: string) => ["users", "one", username.toLowerCase()] as const,
};

const pathOf = (username: string) => `/users/${encodeURIComponent(username)}` as const;

export const userQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...userKeys.lists, state],
      queryFn: ({ signal }) => call("get", "/users", { query: listQuery(state), signal }),
      staleTime: freshness.lists,
      placeholderData: keepPreviousData,
    }),

  one: (username: string) =>
    queryOptions({
      queryKey: userKeys.one(username),
      queryFn: ({ signal }) => call("get", pathOf(username), { signal }),
      // What is about to be edited or charged must be the newest there is.
      staleTime: 0,
    }),

  /** Agents by name: twenty of them. */
  agents: (search: string) =>
    queryOptions({
      queryKey: ["users", "agents", search],
      queryFn: ({ signal }) =>
        call("get", "/users", {
          query: { roleCode: "agent", search: search || undefined, _sort: "+fullName", _size: 20 },
          signal,
        }),
      staleTime: freshness.lookups,
      placeholderData: keepPreviousData,
    }),

  /** The roles that the caller may give. */
  roles: () =>
    queryOptions({
      queryKey: ["users", "roles"],
      queryFn: ({ signal }) => call("get", "/roles", { signal }),
      staleTime: freshness.lookups,
    }),
};

/** Filters whose names in the address are those of the API. */
export const ownFilters = [
  "registeredBy",
  "beneath",
  "expirationDateFrom",
  "expirationDateTo",
  "createdDateFrom",
  "createdDateTo",
] as const;

/** In the address `status` is about the subscription (docs/spec/users.md#users-list); to the server it is the account's. */
export function listQuery({ page, size, sort, search, filters }: ListState) {
  const { status, account, roleCode, startsWith } = filters;
  return {
    _page: page,
    _size: size,
    _sort: orderOf(sort),
    search: search || undefined,
    expired: status === "expired" || undefined,
    aboutToExpire: status === "aboutToExpire" || undefined,
    ...fromAddress({
      roleCode: roleCode || undefined,
      status: account || undefined,
      startsWith,
      ...Object.fromEntries(ownFilters.map((name) => [name, filters[name] || undefined])),
    }),
  };
}

/** One column shows what app users have and what agents have in stock; the order goes by both. */
function orderOf(sort: string): string | undefined {
  if (!sort) return undefined;
  const [sign, field] = sort.startsWith("-") ? ["-", sort.slice(1)] : ["+", sort];
  const fields = field === "credits" ? ["credits", "saleCredits"] : [field];
  return fields.map((name) => sign + name).join(",");
}

/** What shows users beside their own list. */
function refreshOthers(client: QueryClient) {
  const lists = hashKey(userKeys.lists);
  for (const queryKey of changedLists("users").filter((key) => hashKey(key) !== lists))
    void client.invalidateQueries({ queryKey });
}

function refreshLists(client: QueryClient) {
  refreshOthers(client);
  return client.invalidateQueries({ queryKey: userKeys.lists });
}

export function useCreateUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, idempotencyKey }: { draft: NewUser; idempotencyKey: string }) =>
      call("post", "/users", { body: draft, idempotencyKey }),
    onSuccess: () => refreshLists(client),
  });
}

export function useSaveUser(username: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, draft }: { version: number; draft: UserEdit }) =>
      call("put", pathOf(username), { body: draft, ifVersion: version }),
    onSuccess: (saved) => {
      client.setQueryData(userKeys.one(username), saved);
      // The user's subtree moved too.
      void client.invalidateQueries({ queryKey: ["users", "one"], refetchType: "none" });
      return refreshLists(client);
    },
  });
}

/** Sets this password, or has the server generate one and returns it. */
export function useResetPassword(username: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (password: string | undefined) =>
      call("post", `${pathOf(username)}/password`, { body: { password } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: userKeys.one(username) });
      void client.invalidateQueries(sessionQueries.of(username));
    },
  });
}

export function useDeleteUser(onDeleted?: (username: string) => void) {
  const client = useQueryClient();
  return useMutation<unknown, Problem, User>({
    mutationFn: ({ username, version }) => call("delete", pathOf(username), { ifVersion: version }),
    onSuccess: (_answer, { username, fullName }) => {
      toast.success(t("users.deleted", { name: fullName }));
      client.removeQueries({ queryKey: userKeys.one(username) });
      onDeleted?.(username);
    },
    onError: (problem, { fullName }) => {
      console.warn("delete failed", problem);
      toast.failure(t("users.notDeleted", { name: fullName }), messageOf(problem));
    },
    // Also after a failure: the user may be deleted or changed already.
    onSettled: () => refreshLists(client),
  });
}

/** Optimistic; a refusal reverts it and shows the reason. */
export function useToggleUser() {
  const client = useQueryClient();
  const lists = { queryKey: userKeys.lists };
  const put = (username: string, saved: Pick<UserRow, "status" | "version">) =>
    client.setQueriesData<UserPage>(lists, (page) =>
      withRow<UserRow, UserPage>(
        page,
        (row) => row.username === username,
        (row) => ({ ...row, ...rowFieldsOf(saved, row) }),
      ),
    );
  const send = ({ username }: UserRow, ifVersion: number) =>
    call("patch", `${pathOf(username)}/toggle-status`, { ifVersion });
  const toggle = useMutation({
    mutationFn: (row: UserRow) =>
      send(row, row.version).catch((problem: unknown) => {
        const current = problem instanceof Problem ? (problem.current as User | undefined) : undefined;
        // A sale, say, changed something else of them: what is to be toggled is as it was.
        if (current?.status === row.status) return send(row, current.version);
        throw problem;
      }),
    onMutate: async ({ username, status, version }) => {
      const stopped = await stopReading(client, lists.queryKey);
      put(username, { status: status === "ACTIVE" ? "INACTIVE" : "ACTIVE", version });
      return { stopped };
    },
    onSuccess: (saved, row) => {
      const { username, status, fullName } = row;
      put(username, saved);
      void client.invalidateQueries({ queryKey: userKeys.one(username) });
      refreshOthers(client);
      if (status !== "ACTIVE") return;
      // Nothing is shown that the server would refuse.
      const undo = {
        label: t("common.undo"),
        onClick: () => toggle.mutate({ ...row, status: saved.status, version: saved.version }),
      };
      toast.success(
        t("users.deactivated", { name: fullName }),
        undefined,
        needsCreditsToActivate(saved) ? undefined : undo,
      );
    },
    onError: (problem, row) => {
      console.warn("toggle failed", problem);
      const current = problem instanceof Problem ? (problem.current as User | undefined) : undefined;
      put(row.username, current ?? row);
      void client.invalidateQueries({ queryKey: userKeys.one(row.username) });
      const why = current
        ? t("users.turnedBefore", { status: labelOf(UserStatus, current.status) })
        : messageOf(problem);
      toast.failure(notDone(row.status, row.fullName), why);
    },
    onSettled: (_saved, _problem, _row, context) => forgetPages(client, lists.queryKey, context?.stopped),
  });
  return toggle;
}

/** The message of a failed activation or deactivation, by the status before it. */
export function notDone(status: UserRow["status"], name: string): string {
  return status === "ACTIVE" ? t("users.notDeactivated", { name }) : t("users.notActivated", { name });
}
