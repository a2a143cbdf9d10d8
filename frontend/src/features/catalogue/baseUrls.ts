// The two base URLs that addresses of the catalogue are put behind: of channels and of radio stations.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client";
import { freshness } from "../../api/queryClient";

const addresses = {
  "tv-channels": "/channels-base-url",
  "radio-stations": "/radio-stations-base-url",
} as const;

export type BasedKind = keyof typeof addresses;

export const baseUrlQuery = (kind: BasedKind) =>
  queryOptions({
    queryKey: ["baseUrls", kind],
    queryFn: ({ signal }) => call("get", addresses[kind], { signal }),
    staleTime: freshness.lists,
  });

export function useSaveBaseUrl(kind: BasedKind) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (baseUrl: string) => call("put", addresses[kind], { body: { baseUrl } }),
    onSuccess: (saved) => client.setQueryData(baseUrlQuery(kind).queryKey, saved),
  });
}
