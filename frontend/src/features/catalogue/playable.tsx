// What films, documentaries, concerts and sports have in common: their form, their own page, a blank one.
import type { ComponentType } from "react";
import type { PartialDraft } from "../../forms/draft";
import { textAt } from "../../i18n";
import type { EnumLabels } from "../../i18n/enums";
import { lazyPart } from "../../loading/lazyPart";
import type { Draft, PlayableKind, Row, Stored } from "./contents";
import {
  activeFilter,
  type ContentDefinition,
  categoryOf,
  daysFilter,
  enumFilter,
  flagFilter,
  genreFilter,
  lengthOf,
  missingFilter,
  typedFilter,
} from "./define";

const PlayableFields = lazyPart(() => import("./PlayableFields"));
const ItemDetails = lazyPart(() => import("./ItemDetails"));

interface Playable<K extends PlayableKind>
  extends Pick<ContentDefinition<K>, "schema" | "columns" | "lookup"> {
  /** The type of its categories. */
  category: string;
  genres: EnumLabels;
  classification?: EnumLabels;
  /** Flags that its list is filtered by. */
  flags?: readonly string[];
  /** Concerts have none. */
  hasReleaseDate?: boolean;
  /** Its preview can float beside the form. */
  hasFloatingPreview?: boolean;
  /** What a new one begins with, beyond what all do. */
  begins?: Partial<Draft<K>>;
}

export function definePlayable<K extends PlayableKind>(
  kind: K,
  {
    category,
    genres,
    classification,
    flags = ["adultContent", "kidsContent"],
    hasReleaseDate = true,
    hasFloatingPreview,
    begins,
    ...rest
  }: Playable<K>,
): ContentDefinition<K> {
  const Details: ComponentType<{ item: Stored<K> }> = ({ item }) => (
    <ItemDetails
      kind={kind}
      item={item}
      category={category}
      genres={genres}
      classification={classification}
    />
  );
  return {
    kind,
    ...rest,
    nameOf: (item) => item.title,
    pictureOf: (row: Row<K>) => row.coverImageUrl,
    categoryFilter: category,
    detailsOf: (row) => [
      String(row.year),
      lengthOf(row.durationMinutes),
      categoryOf(row),
      // In the order of the alphabet the best come first: 4K, FHD, HD, SD.
      row.qualities.toSorted().join(", "),
    ],
    filters: () => [
      activeFilter(kind),
      genreFilter(genres),
      typedFilter("year", textAt("contents.fields.year"), "number"),
      ...(classification
        ? [enumFilter("classification", textAt("contents.fields.classification"), classification)]
        : []),
      missingFilter(
        kind,
        "COVER",
        "SPANISH_SYNOPSIS",
        "ENGLISH_SYNOPSIS",
        ...(kind === "concerts" ? [] : ["TRAILER"]),
        "LINKS",
      ),
      ...[...flags, "duplicated"].map((flag) => flagFilter(kind, flag)),
      ...(hasReleaseDate ? [daysFilter(kind, "releaseDate")] : []),
    ],
    // What a kind does not have is never sent.
    blank: () =>
      ({
        title: "",
        year: new Date().getFullYear(),
        genres: [],
        links: [],
        active: true,
        adultContent: false,
        monoAudio: false,
        englishOnly: false,
        kidsContent: false,
        ...begins,
      }) as PartialDraft<Draft<K>>,
    Fields: () => (
      <PlayableFields
        kind={kind}
        category={category}
        genres={genres}
        classification={classification}
        hasFloatingPreview={hasFloatingPreview}
      />
    ),
    Details,
  };
}
