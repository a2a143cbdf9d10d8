// The requests of the panel about notes on a user, contacts and snoozed customers.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import { noticesKey } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import type { useIdempotencyKey } from "../../api/useIdempotencyKey";
import { t } from "../../i18n";
import { toast } from "../../ui/toast";

type Schemas = components["schemas"];

export type UserNote = Schemas["UserNote"];
type NewNote = Schemas["NewNote"];

const keyOf = (username: string, part: "notes" | "snooze") =>
  ["users", part, username.toLowerCase()] as const;
const pathOf = (username: string) => `/users/${encodeURIComponent(username)}` as const;

export const noteQueries = {
  /** The newest notes on a user, so many of them. */
  newest: (username: string, size: number) =>
    queryOptions({
      queryKey: [...keyOf(username, "notes"), size],
      queryFn: ({ signal }) => call("get", `${pathOf(username)}/notes`, { query: { _size: size }, signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),

  snooze: (username: string) =>
    queryOptions({
      queryKey: keyOf(username, "snooze"),
      queryFn: ({ signal }) => call("get", `${pathOf(username)}/snooze`, { signal }),
      staleTime: 0,
    }),
};

/** Notes are on the user's page, the last contact and the snooze also in renewals. */
function useForgetNotes() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [["users", "notes"], ["users", "snooze"], ["renewals", "list"], ["renewals", "counts"], noticesKey].map(
        (queryKey) => client.invalidateQueries({ queryKey }),
      ),
    );
}

export function useAddNote(username: string, once: ReturnType<typeof useIdempotencyKey>) {
  const forget = useForgetNotes();
  return useMutation<UserNote, Problem, NewNote>({
    mutationFn: (note) =>
      call("post", `${pathOf(username)}/notes`, { body: note, idempotencyKey: once.keyFor(note) }),
    onSuccess: () => once.forget(),
    // The note is saved, whenever lists and counts have been read again.
    onSettled: () => void forget(),
  });
}

export function useDeleteNote(username: string) {
  const forget = useForgetNotes();
  return useMutation<unknown, Problem, number>({
    mutationFn: (id) => call("delete", `${pathOf(username)}/notes/${id}`),
    onSettled: forget,
  });
}

/** Shows a customer in renewals again. */
export function useShowAgain() {
  const forget = useForgetNotes();
  return async ({ username, fullName: name }: { username: string; fullName: string }) => {
    try {
      await call("delete", `${pathOf(username)}/snooze`);
      toast.success(t("renewals.shownAgain", { name }));
    } catch (error) {
      toast.failure(t("renewals.notShownAgain", { name }), messageOf(error));
    }
    await forget();
  };
}

/** For how many days a customer may be snoozed at the press of a button. */
export const snoozeDays = [0, 1, 3, 7, 30] as const;
