// What a crash of the browser would lose of the import of a season: which season was searched for, what was typed for its
// episodes, and which of them are left out. What was found is searched for again.
import { type ReactNode, useEffect, useState } from "react";
import { Draft } from "../../../forms/draft";
import { useAbandonOnUnmount } from "../../../forms/useAbandonOnUnmount";
import { useDialogDraft } from "../../../forms/useDialogDraft";

interface SeasonDraftOptions {
  show: number;
  /** Which season is searched for. */
  wanted: Draft<object>;
  /** What is asked about before it is lost. */
  links: Draft<object>;
  onRestored: () => void;
}

export function useSeasonDraft({ show, wanted, links, onRestored }: SeasonDraftOptions): {
  proposal: ReactNode;
  abandon: () => void;
} {
  // Each of the two is checked apart from the other; one draft of both is stored.
  const [both] = useState(
    () =>
      new Draft<object>(
        { ...wanted.toPayload(), ...links.toPayload() },
        { type: "object", properties: { ...wanted.rule.properties, ...links.rule.properties } },
      ),
  );
  useEffect(() => {
    // What was emptied is in neither of the two.
    const empty = Object.fromEntries(Object.keys(both.rule.properties ?? {}).map((name) => [name, null]));
    const copy = () => both.merge({ ...empty, ...wanted.storableValues(), ...links.storableValues() });
    const stops = [wanted.subscribe(copy), links.subscribe(copy)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [both, wanted, links]);
  const { proposal, abandon } = useDialogDraft(both, {
    of: `season-import ${show}`,
    labels: "contents.seasonImport",
    onRestored: () => {
      const restored = [wanted, links].map(({ rule }) =>
        Object.fromEntries(Object.keys(rule.properties ?? {}).map((name) => [name, both.get(name) ?? null])),
      );
      wanted.merge(restored[0] ?? {});
      links.merge(restored[1] ?? {});
      onRestored();
    },
  });
  // A search is made again at once: where nothing else was typed, it leaves no draft.
  useAbandonOnUnmount(both, { isConfirmed: () => links.isChanged(), abandon });
  return { proposal, abandon };
}
