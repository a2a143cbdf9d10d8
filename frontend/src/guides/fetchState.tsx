// What became of the newest fetch of a guide, in a word and in a sentence.
import { useTranslation } from "react-i18next";
import { GuideFetchFault } from "../api/enums/GuideFetchFault.gen";
import { GuideFetchState } from "../api/enums/GuideFetchState.gen";
import { labelOf } from "../i18n/enums";
import { AlertIcon } from "../ui/icons";
import { type Tone, ToneBadge } from "../ui/ToneBadge";
import type { GuideFetch } from "./queries";

const tones = {
  NEVER: "gray",
  WAITING: "gray",
  RUNNING: "blue",
  DONE: "green",
  UNCHANGED: "green",
  PARTIAL: "orange",
  FAILED: "red",
} as const satisfies Record<GuideFetch["state"], Tone>;

export function FetchBadge({ of: { state } }: { of: GuideFetch }) {
  return <ToneBadge tone={tones[state]}>{labelOf(GuideFetchState, state)}</ToneBadge>;
}

/** Why a fetch changed nothing, or only in part. */
export function FetchFault({ of: { fault, statusCode, state } }: { of: GuideFetch }) {
  const { t } = useTranslation();
  if (!fault) return null;
  const reason =
    labelOf(GuideFetchFault, fault) +
    (statusCode ? ` ${t("guideHealth.status", { status: statusCode })}` : "");
  return (
    <p className="guide-fault">
      <AlertIcon size={16} /> {reason}
      {state === "FAILED" && `. ${t("guideHealth.nothingChanged")}`}
    </p>
  );
}
