// Sports: columns and form, with a floating preview.
import { DocumentaryClassification } from "../../../api/enums/DocumentaryClassification.gen";
import { SportGenre } from "../../../api/enums/SportGenre.gen";
import { textAt } from "../../../i18n";
import { columnsOf } from "../define";
import { definePlayable } from "../playable";

export default definePlayable("sports", {
  schema: "Sport",
  category: "SPORTS",
  genres: SportGenre,
  classification: DocumentaryClassification,
  hasFloatingPreview: true,
  columns: () => {
    const column = columnsOf("sports");
    return [
      column.identity("title"),
      column.badges("genres", SportGenre, { shown: 2 }),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.moment("updatedDate", { none: textAt("contents.sports.noDate") }),
      column.year("year"),
      column.category(),
      column.active((sport) => sport.title, { isOptional: true, onCard: false }),
      ...column.flags("adultContent", "kidsContent", "monoAudio", "englishOnly"),
      column.moment("createdDate", { isOptional: true }),
    ];
  },
});
