// What shows users anywhere is read again after a change of one of them.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { createQueryClient } from "../../api/queryClient";
import { sampleUser, users } from "../../testing/users";
import { ledgerQueries, requestQueries } from "../credits-history/queries";
import { dashboardQueries } from "../dashboards/queries";
import { issueQueries } from "../issues/queries";
import { profileQueries } from "../live-profiles/queries";
import { statementQueries } from "../statements/queries";
import { useCreateUser, useDeleteUser, userQueries, useSaveUser, useToggleUser } from "./queries";
import type { NewUser, UserEdit } from "./user";

const anyList = { page: 0, size: 10, sort: "", search: "", filters: {} };

const shown = [
  userQueries.agents("").queryKey,
  statementQueries.agents("eva").queryKey,
  issueQueries.assignees().queryKey,
  profileQueries.subscribers("").queryKey,
  dashboardQueries.admin.queryKey,
  dashboardQueries.agent.queryKey,
  ledgerQueries.list(anyList).queryKey,
  requestQueries.newest("PENDING", 20).queryKey,
  statementQueries.one("eva", "2026-11").queryKey,
  issueQueries.one(1).queryKey,
  ["renewals", "counts"],
  ["notices"],
];

function useChanges() {
  return {
    created: useCreateUser(),
    saved: useSaveUser("eva"),
    deleted: useDeleteUser(),
    toggled: useToggleUser(),
  };
}

type Changes = ReturnType<typeof useChanges>;

const draft = { username: "nueva", fullName: "Nueva", roleCode: "agent" } as NewUser;

test.each<[string, (changes: Changes) => Promise<unknown>]>([
  ["created", ({ created }) => created.mutateAsync({ draft, idempotencyKey: "one" })],
  ["saved", ({ saved }) => saved.mutateAsync({ version: 1, draft: { fullName: "Eva" } as UserEdit })],
  ["deleted", ({ deleted }) => deleted.mutateAsync(sampleUser("eva"))],
  ["deactivated", ({ toggled }) => toggled.mutateAsync(sampleUser("eva"))],
])("after a user is %s, what shows users is stale", async (_, change) => {
  users.all = [sampleUser("eva", { roleCode: "agent" })];
  const client = createQueryClient();
  for (const key of shown) client.setQueryData(key as readonly unknown[], []);
  const { result } = renderHook(useChanges, {
    wrapper: ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
  await act(() => change(result.current));
  const current = shown.filter((key) => !client.getQueryState(key as readonly unknown[])?.isInvalidated);
  expect(current).toEqual([]);
});
