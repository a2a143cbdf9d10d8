// Sample items of tests.
import type { CurrentUser } from "../access/session";
import type { Stored } from "../features/catalogue/contents";

export const sampleCurrentUser: CurrentUser = {
  username: "ana",
  fullName: "Ana García",
  roleCode: "contentManager",
  roleName: "Gestor de contenido",
  permissions: [
    ...["CATEGORY", "MOVIE"].flatMap((entity) =>
      ["READ", "CREATE", "UPDATE", "DELETE"].map((action) => `${entity}_${action}`),
    ),
    "CATEGORY_TOGGLE_STATUS",
    "ISSUES_READ",
  ],
};

const dates = { createdDate: "2026-01-15T09:30:00Z", updatedDate: "2026-03-02T18:05:09Z" };

export const sampleCategories: Stored<"categories">[] = [
  {
    id: 1,
    version: 3,
    updatedBy: null,
    description: "Acción",
    englishDescription: "Action",
    type: "MOVIE",
    active: true,
    views: 0,
    ...dates,
  },
  {
    id: 2,
    version: 1,
    updatedBy: null,
    description: "Clásicos",
    englishDescription: "Classics",
    type: "MOVIE",
    active: true,
    views: 0,
    ...dates,
  },
  {
    id: 3,
    version: 1,
    updatedBy: null,
    description: "Fútbol",
    englishDescription: "Football",
    type: "SPORTS",
    active: false,
    views: 0,
    ...dates,
  },
];

export function sampleMovie(id: number, change: Partial<Stored<"movies">> = {}): Stored<"movies"> {
  return {
    id,
    version: 1,
    updatedBy: null,
    views: id * 1000,
    title: `Película ${id}`,
    imdbId: null,
    year: 1990 + (id % 30),
    releaseDate: null,
    durationMinutes: 100,
    rating: 7.5,
    actors: null,
    spanishSynopsis: null,
    englishSynopsis: null,
    classification: "PG_13",
    genres: ["DRAMA"],
    categoryId: 1,
    coverImageUrl: null,
    backgroundImageUrl: null,
    trailerUrl: null,
    reference: null,
    active: true,
    adultContent: false,
    monoAudio: false,
    englishOnly: false,
    kidsContent: false,
    links: [
      {
        id: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
        quality: "FHD",
        url: `https://cdn.example.com/${id}/1080.m3u8`,
        audioLanguages: ["SPANISH"],
        subtitleLanguages: [],
        active: true,
        ...dates,
      },
    ],
    ...dates,
    ...change,
  };
}

export const sampleMovies: Stored<"movies">[] = [
  sampleMovie(1, { title: "Camión fantasma", year: 1988 }),
  sampleMovie(2, { title: "Dune", year: 2021, genres: ["ACTION", "ADVENTURE", "DRAMA", "SCI_FI"] }),
  ...Array.from({ length: 63 }, (_, index) => sampleMovie(index + 3)),
];
