// Documentaries: columns, form and page.
import { DocumentaryClassification } from "../../../api/enums/DocumentaryClassification.gen";
import { DocumentaryGenre } from "../../../api/enums/DocumentaryGenre.gen";
import { columnsOf } from "../define";
import { definePlayable } from "../playable";

export default definePlayable("documentaries", {
  schema: "Documentary",
  category: "DOCUMENTARY",
  genres: DocumentaryGenre,
  classification: DocumentaryClassification,
  flags: ["kidsContent"],
  begins: { classification: "G" },
  columns: () => {
    const column = columnsOf("documentaries");
    return [
      column.identity("title"),
      column.badges("genres", DocumentaryGenre),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.active((documentary) => documentary.title),
      column.year("year"),
      column.category(),
      ...column.flags("kidsContent", "monoAudio", "englishOnly"),
      ...column.dates(),
    ];
  },
});
