// Who changed an item last, and when: items without such fields have it from the audit log.
import { useQuery } from "@tanstack/react-query";
import { useMay } from "../access/session";
import { call } from "../api/client";
import type { Operation } from "../api/operations";
import type { LastChange } from "./EditForm";

type Resource = NonNullable<NonNullable<Operation<"get", "/audit">["parameters"]["query"]>["resource"]>;

interface Item extends LastChange {
  version?: number;
  id?: number;
  username?: string;
}

/** What has no `updatedBy`, beside users. */
const withoutAuthor = [
  "webhooks",
  "app-settings",
  "background-images",
  "alert-messages",
  "renewal-messages",
  "live-profiles",
  "playlist-sources",
];
/** Notes and the like may follow the change, which is among the newest entries all the same. */
const newest = { _page: 0, _size: 10 };

/** The last change of an item of this version, where the user may see it. */
export function useLastChange(resource: string, item: object): LastChange {
  const { version, id, username, updatedBy, updatedDate } = item as Item;
  const may = useMay();
  const ofUser = resource === "users" ? username : undefined;
  const isFound = ofUser !== undefined || (withoutAuthor.includes(resource) && may("AUDIT_READ"));
  const entries = useQuery({
    queryKey: ["history", "last", resource, ofUser ?? id, version],
    queryFn: async ({ signal }) =>
      ofUser === undefined
        ? call("get", "/audit", {
            query: {
              ...newest,
              resource: resource as Resource,
              item: id === undefined ? undefined : String(id),
            },
            signal,
          })
        : call("get", `/users/${encodeURIComponent(ofUser)}/history`, { query: newest, signal }),
    enabled: updatedBy === undefined && isFound,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const last = entries.data?.content.find((entry) => entry.version === version);
  return { updatedBy: updatedBy ?? last?.actor, updatedDate: updatedDate ?? last?.occurredAt };
}
