// Movies: columns, form and page.
import { MovieClassification } from "../../../api/enums/MovieClassification.gen";
import { MovieGenre } from "../../../api/enums/MovieGenre.gen";
import { columnsOf } from "../define";
import { definePlayable } from "../playable";

export default definePlayable("movies", {
  schema: "Movie",
  lookup: "movie",
  category: "MOVIE",
  genres: MovieGenre,
  classification: MovieClassification,
  columns: () => {
    const column = columnsOf("movies");
    return [
      column.identity("title"),
      column.badges("genres", MovieGenre),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.active((movie) => movie.title),
      column.year("year"),
      column.category(),
      ...column.flags("adultContent", "kidsContent", "monoAudio", "englishOnly"),
      ...column.dates(),
    ];
  },
});
