// TV shows: columns, a blank show, the fields of its form, and what its own page shows.
import { ShowClassification } from "../../../api/enums/ShowClassification.gen";
import { ShowGenre } from "../../../api/enums/ShowGenre.gen";
import { ShowStatus } from "../../../api/enums/ShowStatus.gen";
import { t, textAt } from "../../../i18n";
import { formatNumber } from "../../../i18n/formats";
import { formatList } from "../../../i18n/lazyFormats";
import { lazyPart } from "../../../loading/lazyPart";
import { paths } from "../../../routing/paths";
import { FormSection } from "../../../ui/FormSection";
import {
  activeFilter,
  categoryOf,
  columnsOf,
  daysFilter,
  defineContent,
  enumFilter,
  flagFilter,
  genreFilter,
  missingFilter,
  typedFilter,
} from "../define";
import { contentsOfShow } from "../episodes/queries";
import { EpisodeCount } from "../episodes/ShowRow";
import { ShowTabs } from "../episodes/ShowTabs";
import { contentFieldsOf } from "../fields";
import { Synopses } from "../Synopses";
import { Twin } from "../Twin";

const { Text, Amount, Choice, Choices, Day, Flag, Category } = contentFieldsOf<"tv-shows">();
const MediaFields = lazyPart(async () => ({ default: (await import("../MediaFields")).MediaFields }));
const ShowDetails = lazyPart(() => import("../episodes/ShowDetails"));

const section = (name: string) => textAt(`contents.sections.${name}`);

export default defineContent({
  kind: "tv-shows",
  schema: "TvShow",
  nameOf: (show) => show.title,
  pictureOf: (show) => show.coverImageUrl,
  lookup: "tv-show",
  afterCreate: (show) => paths.episodes(show.id),
  open: (show) => ({
    label: t("series.viewEpisodes", { name: show.title }),
    to: paths.episodes(show.id),
  }),
  Header: ShowTabs,
  Details: ShowDetails,
  categoryFilter: "TV_SHOW",
  detailsOf: (show) => [
    String(show.year),
    show.totalSeasons
      ? t("series.seasonCount", { count: show.totalSeasons, number: formatNumber(show.totalSeasons) })
      : undefined,
    categoryOf(show),
  ],
  filters: () => [
    activeFilter("tv-shows"),
    genreFilter(ShowGenre),
    typedFilter("year", textAt("contents.fields.year"), "number"),
    enumFilter("classification", textAt("contents.fields.classification"), ShowClassification),
    missingFilter("tv-shows", "COVER", "SPANISH_SYNOPSIS", "ENGLISH_SYNOPSIS", "TRAILER", "EPISODES"),
    flagFilter("tv-shows", "duplicated"),
    flagFilter("tv-shows", "adultContent"),
    flagFilter("tv-shows", "kidsContent"),
    daysFilter("tv-shows", "firstAirDate"),
    daysFilter("tv-shows", "lastAirDate"),
  ],
  columns: () => {
    const column = columnsOf("tv-shows");
    return [
      column.identity("title"),
      column.number("totalEpisodes", {
        sortable: true,
        onCard: true,
        width: "7rem",
        render: (show) => <EpisodeCount show={show} />,
      }),
      column.badges("genres", ShowGenre),
      column.number("views", { sortable: true, onCard: true, width: "6.5rem" }),
      column.active((show) => show.title),
      column.year("year"),
      column.category(),
      ...column.flags("adultContent", "kidsContent", "monoAudio", "englishOnly"),
      ...column.dates(),
    ];
  },
  willDelete: async ({ id, title: name }) => {
    const parts = await contentsOfShow(id).catch(() => undefined);
    if (!parts) return t("series.willDeleteAll", { name });
    const deleted = [
      parts.seasons > 0 &&
        t("series.seasonCount", { count: parts.seasons, number: formatNumber(parts.seasons) }),
      parts.episodes > 0 &&
        t("series.episodeCount", { count: parts.episodes, number: formatNumber(parts.episodes) }),
    ].filter((part) => part !== false);
    return deleted.length > 0
      ? t("series.willDeleteWith", { name, parts: formatList(deleted) })
      : t("contents.willDelete", { name });
  },
  blank: () => ({
    title: "",
    year: new Date().getFullYear(),
    genres: [],
    active: true,
    adultContent: false,
    monoAudio: false,
    englishOnly: false,
    kidsContent: false,
  }),
  Fields: () => (
    <div className="form-columns">
      <div className="form-main">
        <MainFields />
        <TextFields />
        <FormSection title={section("media")}>
          <MediaFields />
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
        <FormSection title={section("internal")}>
          <Text name="reference" />
        </FormSection>
      </div>
    </div>
  ),
});

function MainFields() {
  return (
    <FormSection title={section("main")}>
      <div className="form-grid">
        <div data-span="8">
          <Text name="title" />
        </div>
        <div data-span="4">
          <Text name="imdbId" placeholder="tt0903747" />
          <Twin
            kind="tv-shows"
            name="imdbId"
            nameOf={(twin) => twin.title}
            text={(name) => textAt("contents.imdbIdUsed", { name })}
          />
        </div>
        <div data-span="3">
          <Amount name="year" />
        </div>
        <div data-span="3">
          <Amount name="rating" />
        </div>
        <div data-span="3">
          <Day name="firstAirDate" />
        </div>
        <div data-span="3">
          <Day name="lastAirDate" />
        </div>
        <div data-span="3">
          <Amount name="totalSeasons" />
        </div>
        <div data-span="3">
          <Amount name="totalEpisodes" />
        </div>
        <div data-span="6">
          <Choice name="status" of={ShowStatus} />
        </div>
        <div data-span="3">
          <Category name="categoryId" of="TV_SHOW" />
        </div>
        <div data-span="4">
          <Choice name="classification" of={ShowClassification} />
        </div>
        <div data-span="5">
          <Choices name="genres" of={ShowGenre} />
        </div>
      </div>
    </FormSection>
  );
}

function TextFields() {
  return (
    <>
      <FormSection title={section("synopses")}>
        <div className="form-grid">
          <Synopses />
        </div>
      </FormSection>
      <FormSection title={textAt("contents.tv-shows.sections.people")}>
        <div className="form-grid">
          <div data-span="6">
            <Text name="actors" />
          </div>
          <div data-span="6">
            <Text name="creators" />
          </div>
        </div>
      </FormSection>
    </>
  );
}
