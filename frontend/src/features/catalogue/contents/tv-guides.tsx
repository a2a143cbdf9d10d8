// TV guides: files with the programmes of channels, published by others.
import { Suspense } from "react";
import { useValue } from "../../../forms/useDraftForm";
import { isNamedCompressed } from "../../../guides/address";
import { loadTexts, textAt } from "../../../i18n";
import { lazyPart } from "../../../loading/lazyPart";
import { FormSection } from "../../../ui/FormSection";
import { AlertIcon } from "../../../ui/icons";
import { activeFilter, columnsOf, defineContent } from "../define";
import { contentFieldsOf } from "../fields";
import "../../../guides/waits.css";

const { Text, Flag } = contentFieldsOf<"tv-guides">();

const FetchCell = lazyPart(
  async () => (await Promise.all([import("../../../guides/FetchCell"), loadTexts("guideHealth")]))[0],
);
const GuideFetching = lazyPart(
  async () => (await Promise.all([import("../../../guides/GuideFetching"), loadTexts("guideHealth")]))[0],
);

/** Warns where the name of the file means that it is compressed, but it is read uncompressed. */
function GzipMissing() {
  const url = useValue<string | null>("url");
  const isCompressed = useValue<boolean>("gzip");
  const isNamedSo = isNamedCompressed(url ?? "");
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
    return [
      column.identity("title"),
      {
        key: "fetching",
        label: textAt("contents.tv-guides.fields.fetching"),
        onCard: true,
        width: "clamp(15rem, 28vw, 22rem)",
        render: ({ id }) => (
          <Suspense fallback={<span className="quiet guide-cell-waits">…</span>}>
            <FetchCell guide={id} />
          </Suspense>
        ),
      },
      column.active((guide) => guide.title),
      ...column.flags("gzip"),
      ...column.dates(),
    ];
  },
  blank: () => ({ title: "", url: "", active: true, gzip: false }),
  FormFooter: ({ item }) => (
    <Suspense fallback={<div className="guide-waits" />}>
      <GuideFetching guide={item.id} />
    </Suspense>
  ),
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
