// What there is to do with a whole list of seasons or episodes: to import a spreadsheet, and to export it as one.
import { Suspense, useMemo } from "react";
import { useMay } from "../../../access/session";
import { loadTexts, textNear } from "../../../i18n";
import { lazyPart } from "../../../loading/lazyPart";
import { ListExport } from "../../../ui/list/export/ListExport";
import { useInLanguage } from "../../../ui/list/useInLanguage";
import { contentKeys } from "../queries";
import { episodeParts, type PartKind, seasonParts } from "./parts";

const ImportButton = lazyPart(
  async () => (await Promise.all([import("../../../imports/ImportButton"), loadTexts("imports")]))[0],
);

interface PartToolsProps {
  kind: PartKind;
  /** The show whose list it is: rows of a file that name none are of it. */
  showId?: number;
  /** What the list asks for. */
  query: Record<string, string | number | undefined>;
  total: number | undefined;
}

export function PartTools({ kind, showId, query, total }: PartToolsProps) {
  const may = useMay();
  const ofSeasons = useInLanguage(seasonParts.columns);
  const ofEpisodes = useInLanguage(episodeParts.columns);
  const target = useMemo(
    () => ({
      resource: kind,
      lists: contentKeys.all(kind),
      defaults: showId === undefined ? [] : [{ key: "tvShowId", value: String(showId) }],
      fieldLabel: (field: string) =>
        textNear(`contents.${kind}`, `fields.${field.split(/[.[]/)[0] ?? field}`),
    }),
    [kind, showId],
  );
  return (
    <>
      {may("TVSHOW_UPDATE") && may("TVSHOW_CREATE") && (
        <Suspense fallback={<span style={{ width: 36 }} />}>
          <ImportButton target={target} />
        </Suspense>
      )}
      <ListExport
        list={kind}
        file={`${kind}/spreadsheet`}
        query={query}
        total={total}
        columns={kind === "episodes" ? ofEpisodes : ofSeasons}
      />
    </>
  );
}
