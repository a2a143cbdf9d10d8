// TV guides: what is on each channel and when, as files that others publish.
import { useValue } from "../../../forms/useDraftForm";
import { textAt } from "../../../i18n";
import { FormSection } from "../../../ui/FormSection";
import { AlertIcon } from "../../../ui/icons";
import { activeFilter, columnsOf, defineContent } from "../define";
import { contentFieldsOf } from "../fields";

const { Text, Flag } = contentFieldsOf<"tv-guides">();

/** A compressed file that is read as it is shows nothing. */
function GzipMissing() {
  const url = useValue<string | null>("url");
  const isCompressed = useValue<boolean>("gzip");
  const isNamedSo = /\.gz($|[?#])/i.test((url ?? "").trim());
  return (
    <output className={isNamedSo && !isCompressed ? "form-warning" : "visually-hidden"}>
      {isNamedSo && !isCompressed && (
        <>
          <AlertIcon size={16} /> {textAt("contents.tv-guides.gzipMissing")}
        </>
      )}
    </output>
  );
}

/** Where the file is published. */
function hostOf(url: string): string | undefined {
  return /^https?:\/\/([^/?#]+)/.exec(url)?.[1];
}

export default defineContent({
  kind: "tv-guides",
  schema: "TvGuide",
  nameOf: (guide) => guide.title,
  narrowForm: true,
  detailsOf: (guide) => [hostOf(guide.url)],
  filters: () => [activeFilter("tv-guides")],
  columns: () => {
    const column = columnsOf("tv-guides");
    return [column.identity("title"), column.active((guide) => guide.title), ...column.dates()];
  },
  blank: () => ({ title: "", url: "", active: true, gzip: false }),
  Fields: () => (
    <FormSection title={textAt("contents.tv-guides.sections.main")}>
      <div className="form-grid">
        <Text name="title" />
        <Text name="url" type="url" placeholder="https://…" />
        <Flag name="gzip" />
        <GzipMissing />
        <Flag name="active" />
      </div>
    </FormSection>
  ),
});
