// The episodes that were found: ticked one by one or all at once; those that are in the catalogue already only shown.
import { Checkbox } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../i18n/formats";
import { Moment } from "../../../ui/values";
import type { Candidate } from "./candidates";
import { episodeName } from "./names";

interface CandidateListProps {
  title: string;
  candidates: readonly Candidate[];
  /** The keys of those that are left out. */
  left: ReadonlySet<number>;
  onLeft: (left: ReadonlySet<number>) => void;
}

export function CandidateList({ title, candidates, left, onLeft }: CandidateListProps) {
  const { t } = useTranslation();
  const missing = candidates.filter((candidate) => !candidate.exists);
  const chosen = missing.filter(({ key }) => !left.has(key));
  const choose = (key: number, isChosen: boolean) => {
    const next = new Set(left);
    if (isChosen) next.delete(key);
    else next.add(key);
    onLeft(next);
  };
  return (
    <fieldset className="import-episodes">
      <legend>{title}</legend>
      {missing.length > 1 && (
        <Checkbox
          mb="xs"
          label={t("seasonImport.all")}
          checked={chosen.length === missing.length}
          indeterminate={chosen.length > 0 && chosen.length < missing.length}
          onChange={(event) =>
            onLeft(event.currentTarget.checked ? new Set() : new Set(missing.map(({ key }) => key)))
          }
        />
      )}
      <ul>
        {candidates.map((candidate) => (
          <CandidateItem
            key={candidate.key}
            candidate={candidate}
            isChosen={!candidate.exists && !left.has(candidate.key)}
            onChoose={(isChosen) => choose(candidate.key, isChosen)}
          />
        ))}
      </ul>
    </fieldset>
  );
}

interface CandidateItemProps {
  candidate: Candidate;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}

function CandidateItem({ candidate, isChosen, onChoose }: CandidateItemProps) {
  const { t } = useTranslation();
  const id = useId();
  const { episode, exists } = candidate;
  return (
    <li data-exists={exists || undefined}>
      <Checkbox
        label={episodeName(episode)}
        aria-describedby={id}
        checked={isChosen}
        disabled={exists}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <span id={id} className="quiet tabular import-note">
        {exists ? (
          t("seasonImport.exists")
        ) : (
          <>
            {episode.airDate && <Moment of={episode.airDate} />}{" "}
            <span>
              {episode.durationMinutes
                ? t("episodes.minutes", { number: formatNumber(episode.durationMinutes) })
                : t("seasonImport.noMinutes")}
            </span>
          </>
        )}
      </span>
    </li>
  );
}
