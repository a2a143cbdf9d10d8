// What became of the items of a bulk operation, in numbers; in a preview, what would.
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";
import { type Tone, ToneBadge } from "../ui/ToneBadge";
import type { Operation } from "./queries";

const tones = {
  changed: "green",
  unchanged: "gray",
  refused: "red",
  conflicts: "orange",
  missing: "yellow",
} as const satisfies Record<keyof Operation["counts"], Tone>;

export function OperationCounts({ of: { counts, dryRun } }: { of: Operation }) {
  const { t } = useTranslation();
  const names = Object.keys(tones) as (keyof typeof tones)[];
  const shown = names.filter((name) => name === "changed" || counts[name] > 0);
  return (
    <span className="operation-counts">
      {shown.map((name) => (
        <ToneBadge key={name} tone={counts[name] === 0 ? "gray" : tones[name]}>
          {t(`operations.counts.${dryRun && name === "changed" ? "wouldChange" : name}`, {
            count: counts[name],
            number: formatNumber(counts[name]),
          })}
        </ToneBadge>
      ))}
    </span>
  );
}
