// What became of the items of a bulk operation, in numbers; in a preview, what would.
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";
import { type Tone, ToneBadge } from "../ui/ToneBadge";
import { isUnfinished, type Operation } from "./queries";

const tones = {
  created: "green",
  changed: "green",
  unchanged: "gray",
  refused: "red",
  conflicts: "orange",
  missing: "yellow",
} as const satisfies Record<keyof Operation["counts"], Tone>;

/** The text of a number; a deletion and a restoration have words of their own for what they change. */
export function countName(name: keyof Operation["counts"], { dryRun, action }: Operation) {
  if (name === "created") return dryRun ? "wouldCreate" : name;
  if (name !== "changed") return name;
  if (action?.type === "DELETE") return dryRun ? "wouldDelete" : "deleted";
  if (action?.type === "RESTORE") return dryRun ? "wouldRestore" : "restored";
  return dryRun ? "wouldChange" : name;
}

function toneOf(name: keyof typeof tones, { action, counts }: Operation): Tone {
  if (counts[name] === 0) return "gray";
  return name === "changed" && action?.type === "DELETE" ? "red" : tones[name];
}

export function OperationCounts({ of: operation }: { of: Operation }) {
  const { counts, done, total } = operation;
  const { t } = useTranslation();
  const names = Object.keys(tones) as (keyof typeof tones)[];
  const shown = names.filter((name) => (name === "changed" && counts.created === 0) || counts[name] > 0);
  return (
    <span className="operation-counts">
      {shown.map((name) => (
        <ToneBadge key={name} tone={toneOf(name, operation)}>
          {t(`operations.counts.${countName(name, operation)}`, {
            count: counts[name],
            number: formatNumber(counts[name]),
          })}
        </ToneBadge>
      ))}
      {/* It was stopped, or failed, before it came to them. */}
      {!isUnfinished(operation) && done < total && (
        <ToneBadge tone="gray">
          {t("operations.counts.notReached", { count: total - done, number: formatNumber(total - done) })}
        </ToneBadge>
      )}
    </span>
  );
}
