// Concerts: columns, form and page.
import { ConcertGenre } from "../../../api/enums/ConcertGenre.gen";
import { columnsOf } from "../define";
import { definePlayable } from "../playable";

export default definePlayable("concerts", {
  schema: "Concert",
  category: "MUSIC",
  genres: ConcertGenre,
  hasReleaseDate: false,
  columns: () => {
    const column = columnsOf("concerts");
    return [
      column.identity("title"),
      column.badges("genres", ConcertGenre),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.active((concert) => concert.title),
      column.year("year"),
      column.category(),
      ...column.flags("adultContent", "kidsContent", "monoAudio", "englishOnly"),
      ...column.dates(),
    ];
  },
});
