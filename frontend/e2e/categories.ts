// The categories that are there when the tests begin, in the shape that `cartelera import` reads.
export const categories = [
  { id: 1, description: "Acción", englishDescription: "Action", type: "MOVIE", active: true },
  {
    id: 2,
    description: "Ciencia ficción",
    englishDescription: "Science fiction",
    type: "MOVIE",
    active: true,
  },
  { id: 3, description: "Cine español", englishDescription: "Spanish cinema", type: "MOVIE", active: true },
  {
    id: 4,
    description: "Canales nacionales",
    englishDescription: "National channels",
    type: "TV_CHANNEL",
    active: true,
  },
  { id: 5, description: "Noticias", englishDescription: "News", type: "TV_CHANNEL", active: true },
  {
    id: 6,
    description: "Series dramáticas",
    englishDescription: "Drama series",
    type: "TV_SHOW",
    active: true,
  },
  { id: 7, description: "Naturaleza", englishDescription: "Nature", type: "DOCUMENTARY", active: true },
  { id: 8, description: "Torneos", englishDescription: "Tournaments", type: "SPORTS", active: true },
  { id: 9, description: "Música en vivo", englishDescription: "Live music", type: "MUSIC", active: true },
];
