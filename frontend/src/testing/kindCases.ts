// An item of each kind of content without a look-up: what its list shows and what its form sends.
import { screen, waitFor } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, vi } from "vitest";
import { contentEntries, type Kind } from "../access/kinds";
import { backend } from "./backend";
import { sampleCurrentUser } from "./samples";
import { server } from "./server";

const dates = { createdDate: "2026-01-15T09:30:00Z", updatedDate: "2026-03-02T18:05:09Z" };
/** A link of the items. */
export const link = {
  id: "00000000-0000-4000-8000-000000000001",
  quality: "FHD",
  url: "https://cdn.example.com/1.m3u8",
  audioLanguages: ["SPANISH"],
  subtitleLanguages: [],
  active: true,
};
const playable = {
  year: 2024,
  durationMinutes: 90,
  spanishSynopsis: null,
  englishSynopsis: null,
  genres: [],
  coverImageUrl: null,
  backgroundImageUrl: null,
  reference: null,
  monoAudio: false,
  englishOnly: false,
  kidsContent: false,
};
const withTrailer = { ...playable, releaseDate: null, trailerUrl: null };
const stored = { id: 1, version: 3, views: 1234, active: true, ...dates };
const firstFields = [
  ["Título", "Prueba"],
  ["Duración", "45"],
] as const;

interface Case {
  kind: Kind;
  route: string;
  heading: string;
  create: string;
  item: Record<string, unknown>;
  name: string;
  /** Texts of a row. */
  says: (string | RegExp)[];
  columns: string[];
  texts: readonly (readonly [string, string])[];
  choices: readonly (readonly [string, string])[];
  hasLinks?: boolean;
  body: object;
  /** A field that the server finds wrong. */
  culprit: [field: string, label: string];
  missing: string;
}

export const cases: Case[] = [
  {
    kind: "tv-guides",
    route: "tv-guide",
    heading: "Guía de Canales de TV",
    create: "Crear guía de TV",
    item: { title: "Guía Uno", url: "https://epg.example.com/uno.xml", gzip: false },
    name: "Guía Uno",
    says: ["Activo"],
    columns: ["Título", "Última lectura", "Estado"],
    texts: [
      ["Título", "Prueba"],
      ["URL de la guía", "https://epg.example.com/x.xml.gz"],
    ],
    choices: [],
    body: { title: "Prueba", url: "https://epg.example.com/x.xml.gz", active: true, gzip: false },
    culprit: ["url", "URL de la guía"],
    missing: "La guía de TV no fue encontrada",
  },
  {
    kind: "tv-channels",
    route: "tv-channels",
    heading: "Canales de TV",
    create: "Crear canal",
    item: {
      channelNumber: 7,
      title: "Canal Siete",
      tvGuideId: null,
      categories: [10],
      category: { id: 10, description: "Noticias TV", englishDescription: "TV news" },
      epgId: null,
      imageUrl: null,
      adultContent: false,
      kidsContent: false,
      urlType: "EXTERNAL",
      url: "https://live.example.com/7.m3u8",
    },
    name: "Canal Siete",
    says: ["7", "Noticias TV", "Activo"],
    columns: ["Número", "Título", "Categoría", "Estado", "Ahora y después"],
    texts: [
      ["Título", "Prueba"],
      ["Número", "12"],
      ["URL de la señal", "rtmp://live.example.com/12"],
    ],
    choices: [["Categorías", "Noticias TV"]],
    body: {
      channelNumber: 12,
      title: "Prueba",
      categories: [10],
      tvGuideId: null,
      epgId: null,
      imageUrl: null,
      urlType: "EXTERNAL",
      url: "rtmp://live.example.com/12",
      active: true,
      adultContent: false,
      kidsContent: false,
    },
    culprit: ["title", "Título"],
    missing: "El contenido no fue encontrado",
  },
  {
    kind: "radio-stations",
    route: "radio-stations",
    heading: "Estaciones de Radio",
    create: "Crear estación de radio",
    item: {
      code: "R1",
      stationName: "Radio Uno",
      stationLogo: null,
      country: "México",
      genres: ["POP", "ROCK", "JAZZ", "NEWS", "TALK"],
      streamUrl: "https://radio.example.com/1",
    },
    name: "Radio Uno",
    says: ["N/A", "México", "Pop", "Rock", "Jazz", "+2"],
    columns: ["Nombre", "Logo", "País", "Géneros", "Estado"],
    texts: [
      ["Nombre", "Prueba"],
      ["Código", "P1"],
      ["País", "España"],
      ["URL de la transmisión", "https://radio.example.com/p"],
    ],
    choices: [["Géneros", "Reguetón"]],
    body: {
      code: "P1",
      stationName: "Prueba",
      stationLogo: null,
      country: "España",
      genres: ["REGGAETON"],
      streamUrl: "https://radio.example.com/p",
      active: true,
    },
    culprit: ["code", "Código"],
    missing: "El contenido no fue encontrado",
  },
  {
    kind: "documentaries",
    route: "documentaries",
    heading: "Documentales",
    create: "Crear documental",
    item: {
      ...withTrailer,
      title: "Volcanes",
      genres: ["NATURALEZA"],
      classification: "PG",
      categoryId: 11,
      links: [link],
    },
    name: "Volcanes",
    says: [/^2024 · 1 h 30/, "Naturaleza", "1.234", "Activo"],
    columns: ["Título", "Géneros", "Vistas", "Estado"],
    texts: firstFields,
    choices: [["Categoría", "Ciencia"]],
    hasLinks: true,
    body: {
      ...withTrailer,
      title: "Prueba",
      durationMinutes: 45,
      classification: "G",
      categoryId: 11,
      active: true,
    },
    culprit: ["reference", "Referencia"],
    missing: "El contenido no fue encontrado",
  },
  {
    kind: "concerts",
    route: "concerts",
    heading: "Conciertos",
    create: "Crear concierto",
    item: {
      ...playable,
      title: "Gira",
      actors: null,
      genres: ["ROCK"],
      categoryId: 12,
      adultContent: false,
      links: [link],
    },
    name: "Gira",
    says: [/^2024 · 1 h 30/, "Rock", "1.234"],
    columns: ["Título", "Géneros", "Vistas", "Estado"],
    texts: [...firstFields, ["Artistas", "Ana, Luis"]],
    choices: [["Categoría", "En vivo"]],
    hasLinks: true,
    body: {
      ...playable,
      title: "Prueba",
      durationMinutes: 45,
      actors: "Ana, Luis",
      categoryId: 12,
      adultContent: false,
      active: true,
    },
    culprit: ["actors", "Artistas"],
    missing: "El contenido no fue encontrado",
  },
  {
    kind: "sports",
    route: "sports",
    heading: "Deportes",
    create: "Crear evento deportivo",
    item: {
      ...withTrailer,
      title: "Final",
      genres: ["FUTBOL", "RUGBY", "TENIS"],
      classification: null,
      categoryId: 13,
      adultContent: false,
      updatedDate: null,
      links: [link],
    },
    name: "Final",
    says: [/^2024 · 1 h 30/, "Fútbol", "Rugby", "+1", "1.234", "N/D"],
    columns: ["Título", "Géneros", "Vistas", "Última modificación"],
    texts: firstFields,
    choices: [["Categoría", "Copas"]],
    hasLinks: true,
    body: {
      ...withTrailer,
      title: "Prueba",
      durationMinutes: 45,
      classification: null,
      categoryId: 13,
      adultContent: false,
      active: true,
    },
    culprit: ["title", "Título"],
    missing: "El contenido no fue encontrado",
  },
];

const category = (id: number, type: string, description: string) => ({
  ...stored,
  id,
  type,
  description,
  englishDescription: description,
});

/** Sports answer what was saved in an envelope, and say themselves what happened. */
const inEnvelope = async (response: Response, status: number) =>
  HttpResponse.json({ success: true, message: "Hecho", sport: await response.json() }, { status });

/** Signs in a user with all permissions on content, and stores an item of each kind with its categories. */
export function serveKinds() {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  backend.user = {
    ...sampleCurrentUser,
    permissions: Object.values(contentEntries).flatMap(({ entity, toggle }) => [
      ...["READ", "CREATE", "UPDATE", "DELETE"].map((action) => `${entity}_${action}`),
      toggle,
    ]),
  };
  backend.tables = Object.fromEntries(cases.map(({ kind, item }) => [kind, [{ ...stored, ...item }]]));
  backend.tables.categories = [
    category(10, "TV_CHANNEL", "Noticias TV"),
    category(11, "DOCUMENTARY", "Ciencia"),
    category(12, "MUSIC", "En vivo"),
    category(13, "SPORTS", "Copas"),
  ];
  let answered = 100;
  server.use(
    http.post("/api/sports", async ({ request }) => {
      const body = (await request.json()) as object;
      backend.bodies.push(body);
      const item = { ...stored, ...body, id: answered++ };
      return inEnvelope(HttpResponse.json(item), 201);
    }),
    http.put("/api/sports/:id", async ({ request }) => {
      const item = { ...stored, ...((await request.json()) as object), version: 4 };
      return inEnvelope(HttpResponse.json(item), 200);
    }),
  );
}

/** The label of a field, with or without what says that it is required. */
export const labelled = (label: string) => new RegExp(`^${label}`);

/** Chooses an option of a field once its options are there. */
export async function choose(user: UserEvent, label: string, option: string) {
  const input = await screen.findByRole("combobox", { name: labelled(label) });
  await waitFor(() => expect(input).not.toHaveAttribute("placeholder", "Cargando..."));
  await user.click(input);
  await user.click(await screen.findByRole("option", { name: option }));
}
