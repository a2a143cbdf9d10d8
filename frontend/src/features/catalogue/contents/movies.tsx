// Movies: columns, a blank film, the fields of its form, and what its own page shows.
import { lazy } from "react";
import { textAt } from "../../../i18n";
import { FormSection } from "../../../ui/FormSection";
import { activeFilter, columnsOf, defineContent } from "../define";
import { contentFieldsOf } from "../fields";

const { Text, LongText, Amount, Choice, Choices, Day, Flag, Category, Links } = contentFieldsOf<"movies">();
const DraftMedia = lazy(async () => ({ default: (await import("../MediaFields")).DraftMedia }));
const MovieDetails = lazy(async () => ({ default: (await import("./MovieDetails")).MovieDetails }));

const section = (name: string) => textAt(`contents.sections.${name}`);

export default defineContent({
  kind: "movies",
  schema: "Movie",
  nameOf: (movie) => movie.title,
  pictureOf: (movie) => movie.coverImageUrl,
  lookup: "movie",
  Details: MovieDetails,
  categoryFilter: "MOVIE",
  filters: () => [activeFilter()],
  columns: () => {
    const column = columnsOf("movies");
    return [
      column.identity("title"),
      column.year("year", { width: "5rem" }),
      column.badges("genres", "MovieGenre", { onCard: true }),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.active((movie) => movie.title),
      column.moment("createdDate", { isOptional: true }),
      column.moment("updatedDate", { isOptional: true }),
    ];
  },
  blank: () => ({
    title: "",
    year: new Date().getFullYear(),
    genres: [],
    links: [],
    active: true,
    adultContent: false,
    monoAudio: false,
    englishOnly: false,
    kidsContent: false,
  }),
  Fields: () => (
    <div className="form-columns">
      <div className="form-main">
        <FormSection title={section("main")}>
          <div className="form-grid">
            <div data-span="8">
              <Text name="title" />
            </div>
            <div data-span="4">
              <Text name="imdbId" placeholder="tt0133093" />
            </div>
            <div data-span="3">
              <Amount name="year" />
            </div>
            <div data-span="3">
              <Amount name="durationMinutes" />
            </div>
            <div data-span="3">
              <Amount name="rating" step={0.1} />
            </div>
            <div data-span="3">
              <Day name="releaseDate" />
            </div>
            <div data-span="6">
              <Category name="categoryId" of="MOVIE" />
            </div>
            <div data-span="6">
              <Choice name="classification" of="MovieClassification" />
            </div>
            <Choices name="genres" of="MovieGenre" />
            <Text name="actors" />
            <LongText name="spanishSynopsis" />
            <LongText name="englishSynopsis" />
          </div>
        </FormSection>
        <FormSection title={section("links")}>
          <Links name="links" />
        </FormSection>
        <FormSection title={section("media")}>
          <div className="form-grid">
            <Text name="coverImageUrl" type="url" placeholder="https://…" />
            <Text name="backgroundImageUrl" type="url" placeholder="https://…" />
            <Text name="trailerUrl" type="url" placeholder="https://…" />
          </div>
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={section("status")}>
          <div className="form-flags">
            <Flag name="active" />
            <Flag name="kidsContent" />
            <Flag name="adultContent" />
            <Flag name="englishOnly" />
            <Flag name="monoAudio" />
          </div>
        </FormSection>
        <FormSection title={section("preview")}>
          <DraftMedia />
        </FormSection>
        <FormSection title={section("internal")}>
          <Text name="reference" />
        </FormSection>
      </div>
    </div>
  ),
});
