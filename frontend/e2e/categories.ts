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
];
