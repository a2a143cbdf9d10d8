// The result of a link's probe: in the list of links, beside the streams of a channel, at a report.
import { useTranslation } from "react-i18next";
import { LinkState } from "../api/enums/LinkState.gen";
import { ProbeOutcome } from "../api/enums/ProbeOutcome.gen";
import { StreamFormat } from "../api/enums/StreamFormat.gen";
import type { components } from "../api/schema.gen";
import { labelOf } from "../i18n/enums";
import { formatNumber } from "../i18n/formats";
import { type Tone, ToneBadge } from "../ui/ToneBadge";
import { Dash } from "../ui/values";
import "./finding.css";

type Link = components["schemas"]["StreamLink"];

const tones: Record<Link["state"], Tone> = {
  UNKNOWN: "gray",
  UP: "green",
  SUSPECT: "yellow",
  DOWN: "red",
  RECOVERING: "blue",
  FLAPPING: "orange",
};

export function StateBadge({ of: state }: { of: Link["state"] }) {
  return <ToneBadge tone={tones[state]}>{labelOf(LinkState, state)}</ToneBadge>;
}

/** What was found: the reason of a failure, what a stream is otherwise. */
export function Finding({ link: { probe } }: { link: Pick<Link, "probe"> }) {
  const { t } = useTranslation();
  if (!probe) return <Dash />;
  const status = probe.httpStatus ? ` (${probe.httpStatus})` : "";
  const facts = [
    probe.format && labelOf(StreamFormat, probe.format),
    probe.height && t("probes.height", { height: probe.height }),
    probe.codecs,
    probe.variants && t("probes.variants", { count: probe.variants, number: formatNumber(probe.variants) }),
  ].filter(Boolean);
  return (
    <span className="link-finding">
      {labelOf(ProbeOutcome, probe.outcome)}
      {status}
      {facts.length > 0 && <span className="quiet">{facts.join(" · ")}</span>}
    </span>
  );
}
