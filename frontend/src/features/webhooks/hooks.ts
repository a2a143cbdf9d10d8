// Webhooks in the server's own shapes, the requests about them, and what it changes.
import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import { freshness, noticesKey } from "../../api/queryClient";
import type { components } from "../../api/schema.gen";
import { failureOf } from "../../api/unknownOutcome";
import { t } from "../../i18n";
import { listQuery } from "../../ui/list/listQuery";
import type { ListState } from "../../ui/list/useListAddress";
import { toast } from "../../ui/toast";

export type Webhook = components["schemas"]["Webhook"];
export type NewWebhook = components["schemas"]["NewWebhook"];
export type WebhookDraft = components["schemas"]["WebhookDraft"];
export type Delivery = components["schemas"]["DeliveryRow"];

/** How often pending deliveries are polled. */
const watching = 3000;
/** How often a test is looked at, and how long: its receiver has ten seconds. */
const looking = { pause: 400, times: 40 };

const keys = {
  all: ["webhooks"] as const,
  lists: ["webhooks", "list"] as const,
  one: (id: number) => ["webhooks", "one", id] as const,
  logs: (id: number) => ["webhooks", "log", id] as const,
};

/** Has these read again, and the bell, which counts paused ones. */
const forget = (client: QueryClient, queryKey: QueryKey) =>
  Promise.all([client.invalidateQueries({ queryKey }), client.invalidateQueries({ queryKey: noticesKey })]);

const isWaiting = ({ status }: Delivery) => status === "PENDING";

export const webhookQueries = {
  list: (state: ListState) =>
    queryOptions({
      queryKey: [...keys.lists, state],
      queryFn: ({ signal }) => call("get", "/webhooks", { query: listQuery(state), signal }),
      // What it shows of deliveries changes by itself.
      staleTime: freshness.counts,
      placeholderData: keepPreviousData,
    }),

  one: (id: number) =>
    queryOptions({
      queryKey: keys.one(id),
      queryFn: ({ signal }) => call("get", `/webhooks/${id}`, { signal }),
      staleTime: 0,
    }),

  /** The log: looked at again by itself for as long as something in it waits. */
  log: (id: number, state: ListState) =>
    queryOptions({
      queryKey: [...keys.logs(id), state],
      queryFn: ({ signal }) => call("get", `/webhooks/${id}/deliveries`, { query: listQuery(state), signal }),
      staleTime: 0,
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) => (data?.content.some(isWaiting) ? watching : false),
    }),
};

export function useCreateWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, idempotencyKey }: { draft: WebhookDraft; idempotencyKey: string }) =>
      call("post", "/webhooks", { body: draft, idempotencyKey }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.lists }),
  });
}

export function useSaveWebhook(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, version }: { draft: WebhookDraft; version: number }) =>
      call("put", `/webhooks/${id}`, { body: draft, ifVersion: version }),
    onSuccess: (saved) => {
      client.setQueryData(keys.one(id), saved);
      return forget(client, keys.lists);
    },
  });
}

export function useRotateSecret(id: number) {
  const client = useQueryClient();
  return useMutation<NewWebhook, Problem>({
    mutationFn: () => call("post", `/webhooks/${id}/rotate-secret`),
    onError: (problem) => {
      const { title, message } = failureOf(problem, t("webhooks.secret.notRotated"), {
        title: t("webhooks.secret.unknown.title"),
        message: t("webhooks.secret.unknown.message"),
      });
      toast.failure(title, message);
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

/** Ends the pause of a webhook: what waits for it is sent. */
export function useResume() {
  const client = useQueryClient();
  return useMutation<Webhook, Problem, Pick<Webhook, "id" | "name">>({
    mutationFn: ({ id }) => call("post", `/webhooks/${id}/resume`),
    onSuccess: (saved, { id, name }) => {
      client.setQueryData(keys.one(id), saved);
      toast.success(t("webhooks.pause.resumed", { name }));
    },
    onError: (problem, { name }) =>
      toast.failure(t("webhooks.pause.notResumed", { name }), messageOf(problem)),
    onSettled: () => forget(client, keys.all),
  });
}

export function useDeleteWebhook() {
  const client = useQueryClient();
  return useMutation<unknown, Problem, Webhook>({
    mutationFn: ({ id, version }) => call("delete", `/webhooks/${id}`, { ifVersion: version }),
    onSuccess: (_answer, { id, name }) => {
      toast.success(t("webhooks.deleted", { name }));
      client.removeQueries({ queryKey: keys.one(id) });
      client.removeQueries({ queryKey: keys.logs(id) });
    },
    onError: (problem, { name }) => {
      console.warn("delete failed", problem);
      toast.failure(t("webhooks.notDeleted", { name }), messageOf(problem));
    },
    onSettled: () => forget(client, keys.lists),
  });
}

/** Sends a test and waits for what comes of it: undefined where it has not arrived after the last try. */
export function useTestWebhook() {
  const client = useQueryClient();
  return useMutation<Delivery | undefined, Problem, Pick<Webhook, "id" | "name">>({
    mutationFn: async ({ id }) => {
      const queued = await call("post", `/webhooks/${id}/test`);
      for (let times = 0; times < looking.times; times++) {
        await new Promise((resolve) => setTimeout(resolve, looking.pause));
        const now = await call("get", `/webhooks/${id}/deliveries/${queued.id}`);
        if (!isWaiting(now)) return now;
      }
      return undefined;
    },
    onError: (problem, { name }) => toast.failure(t("webhooks.test.notSent", { name }), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}

export function useResend(id: number) {
  const client = useQueryClient();
  return useMutation<Delivery, Problem, Delivery>({
    mutationFn: (delivery) => call("post", `/webhooks/${id}/deliveries/${delivery.id}/resend`),
    onSuccess: () => toast.success(t("webhooks.resent")),
    onError: (problem) => toast.failure(t("webhooks.notResent"), messageOf(problem)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}
