// Whether the links of an item play: they are probed on request, and after a report.
import { Button } from "@mantine/core";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { call } from "../../api/client";
import { messageOf, type Problem } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { formatMoment } from "../../i18n/formats";
import { Finding, StateBadge } from "../../probes/Finding";
import { DayAndTime } from "../../ui/DayAndTime";
import { icon } from "../../ui/icons";
import { toast } from "../../ui/toast";
import "./item-probes.css";

type Link = components["schemas"]["RequestedLink"];

const ProbeIcon = icon(<path d="M3 12h4l3 8l4 -16l3 8h4" />);

/** The permission to change items, of each kind whose links are probed on request. */
const permissions = {
  movies: "MOVIE_UPDATE",
  documentaries: "DOCUMENTARY_UPDATE",
  sports: "SPORT_UPDATE",
  concerts: "CONCERT_UPDATE",
  episodes: "TVSHOW_UPDATE",
} as const;

export type ProbedKind = keyof typeof permissions;

/** Intervals of reading links again, in milliseconds: while a probe is pending, and otherwise. */
const [soon, later] = [2_000, 15_000];

const isDue = ({ nextProbe, delayed }: Link) => nextProbe !== null && !delayed;

const probesOf = (kind: ProbedKind, id: number) =>
  queryOptions({
    queryKey: ["links", "item", kind, id],
    queryFn: ({ signal }) => call("get", `/${kind}/${id}/probes`, { signal }),
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => data?.length && (data.some(isDue) ? soon : later),
  });

export default function ItemProbes({ kind, id }: { kind: ProbedKind; id: number }) {
  const { t } = useTranslation();
  const may = useMay();
  const client = useQueryClient();
  const query = probesOf(kind, id);
  const links = useQuery(query).data ?? [];
  const requesting = useMutation<Link[], Problem, void>({
    mutationFn: () => call("post", `/${kind}/${id}/probes`, {}),
    onSuccess: (links) => client.setQueryData(query.queryKey, links),
    onError: (problem) => toast.failure(t("probes.item.notRequested"), messageOf(problem)),
  });
  const mayRequest = may(permissions[kind]);
  // The only conflict that the request has: links are not probed.
  const isOff = requesting.error?.status === 409;
  if (!mayRequest && links.length === 0) return null;
  return (
    <section className="item-probes" aria-label={t("probes.item.title")}>
      {mayRequest && (
        <div>
          {!isOff && (
            <Button
              variant="default"
              leftSection={<ProbeIcon />}
              aria-disabled={requesting.isPending}
              onClick={() => requesting.isPending || requesting.mutate()}
            >
              {t("probes.item.probe")}
            </Button>
          )}{" "}
          <span className="quiet">{t(isOff ? "probes.off" : "probes.item.saved")}</span>
        </div>
      )}
      {links.length > 0 && (
        <ul aria-live="polite">
          {links.map((link) => (
            <li key={link.id}>
              <strong>{[link.label, link.host || t("probes.noAddress")].filter(Boolean).join(" · ")}</strong>
              <StateBadge of={link.state} />
              {(link.probe || link.nextProbe === null) && <Finding link={link} />}
              {link.probedAt && <DayAndTime of={link.probedAt} />}
              {link.nextProbe !== null && (
                <span className="quiet">
                  {link.delayed
                    ? t("probes.item.later", { date: formatMoment(link.nextProbe) })
                    : t("probes.item.soon")}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
