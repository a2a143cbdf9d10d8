// The kinds of content without a look-up: what each list shows, what each form sends, and what only some of them have.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { contentEntries, type Kind } from "../../access/kinds";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { sampleUser } from "../../testing/samples";
import { server } from "../../testing/server";

const dates = { createdDate: "2026-01-15T09:30:00Z", updatedDate: "2026-03-02T18:05:09Z" };
const link = {
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
  /** What a row says. */
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

const cases: Case[] = [
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
    columns: ["Número", "Título", "Categoría", "Estado"],
    texts: [
      ["Título", "Prueba"],
      ["Número", "12"],
      ["URL de la transmisión", "rtmp://live.example.com/12"],
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

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  backend.user = {
    ...sampleUser,
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
});

const labelled = (label: string) => new RegExp(`^${label}`);
const sent = (method: string) => backend.requests.filter((request) => request.startsWith(method));

async function choose(user: UserEvent, label: string, option: string) {
  const input = await screen.findByRole("combobox", { name: labelled(label) });
  await waitFor(() => expect(input).not.toHaveAttribute("placeholder", "Cargando..."));
  await user.click(input);
  await user.click(await screen.findByRole("option", { name: option }));
}

async function addLink(user: UserEvent) {
  await user.click(screen.getByRole("button", { name: "Añadir enlace" }));
  const dialog = await screen.findByRole("dialog", { name: "Añadir enlace" });
  fireEvent.change(within(dialog).getByLabelText(labelled("URL")), { target: { value: link.url } });
  await user.click(within(dialog).getByRole("combobox", { name: labelled("Idiomas de audio") }));
  await user.click(await screen.findByRole("option", { name: "Español" }));
  await user.click(within(dialog).getByRole("button", { name: "Añadir" }));
  await screen.findByText(link.url);
}

describe.each(cases)("$kind", (one) => {
  const { kind, route, name } = one;

  test("the list shows what the specification names, in Spanish", async () => {
    renderPage(`/content/${route}`);
    expect(await screen.findByRole("heading", { level: 1, name: one.heading })).toBeVisible();
    const row = (await screen.findByText(name)).closest("tr") as HTMLElement;
    for (const text of one.says) expect(within(row).getByText(text)).toBeInTheDocument();
    const headers = screen.getAllByRole("columnheader").map((header) => header.textContent);
    expect(headers).toEqual(["", ...one.columns, "Acciones"]);
    expect(within(row).getByRole("link", { name })).toHaveAttribute("href", `/content/${route}/1/edit`);
    const size = kind === "sports" ? 25 : 10;
    expect(sent(`GET /api/${kind}?`)[0]).toContain(`_size=${size}`);
  });

  test("creating sends what was written and goes back to the list", async () => {
    const { user, address } = renderPage(`/content/${route}/create`);
    await screen.findByLabelText(labelled(one.texts[0]?.[0] ?? ""));
    if (one.hasLinks) fireEvent.change(screen.getByLabelText(/^Año/), { target: { value: "2024" } });
    for (const [label, value] of one.texts)
      fireEvent.change(await screen.findByLabelText(labelled(label)), { target: { value } });
    for (const [label, option] of one.choices) await choose(user, label, option);
    if (one.hasLinks) await addLink(user);
    await user.click(screen.getByRole("button", { name: one.create }));
    expect(await screen.findByText(kind === "sports" ? "Hecho" : "Se creó «Prueba»")).toBeVisible();
    await waitFor(() => expect(address()).toBe(`/content/${route}`));
    const [body] = backend.bodies.slice(-1);
    expect(body).toEqual({
      ...one.body,
      ...(one.hasLinks && { links: [expect.objectContaining({ ...link, id: expect.any(String) })] }),
    });
  });

  test("editing sends the version, and what the server finds wrong is at its field", async () => {
    let version: string | null = null;
    server.use(
      http.put(
        `/api/${kind}/:id`,
        ({ request }) => {
          version = request.headers.get("if-match");
          const [field] = one.culprit;
          const errors = [{ field, code: "OWN_RULE", message: "Así no." }];
          return problem(422, { code: "VALIDATION_FAILED", message: "Hay datos por corregir.", errors });
        },
        { once: true },
      ),
    );
    const { user, address } = renderPage(`/content/${route}/1/edit`);
    const save = await screen.findByRole("button", { name: "Guardar cambios" });
    await user.click(save);
    const culprit = await screen.findByLabelText(labelled(one.culprit[1]));
    await waitFor(() => expect(culprit).toHaveAccessibleDescription(/Así no\./));
    expect(screen.getByText("Hay datos por corregir.")).toBeVisible();
    expect(version).toBe('"3"');
    await user.click(save);
    expect(await screen.findByText(kind === "sports" ? "Hecho" : `Se guardó «${name}»`)).toBeVisible();
    await waitFor(() => expect(address()).toBe(`/content/${route}`));
  });

  test("what is not there is said, with a way back", async () => {
    renderPage(`/content/${route}/99/edit`);
    expect(await screen.findByText(one.missing)).toBeVisible();
    expect(screen.getByRole("link", { name: `Volver a ${one.heading}` })).toHaveAttribute(
      "href",
      `/content/${route}`,
    );
  });
});

describe("row actions", () => {
  test.each(["tv-guide", "tv-channels", "radio-stations"])(
    "%s are turned off and on in their row",
    async (route) => {
      const { user } = renderPage(`/content/${route}`);
      const control = await screen.findByRole("switch");
      expect(control).toBeChecked();
      await user.click(control);
      await waitFor(() => expect(screen.getByRole("switch")).not.toBeChecked());
      await waitFor(() => expect(backend.bodies).toContainEqual({ active: false }));
    },
  );

  test("three stand in the row; deleting requests first", async () => {
    const { user } = renderPage("/content/concerts");
    expect(await screen.findByRole("link", { name: "Ver «Gira»" })).toHaveAttribute(
      "href",
      "/content/concerts/1",
    );
    await user.click(screen.getByRole("button", { name: "Eliminar «Gira»" }));
    const dialog = await screen.findByRole("dialog", {
      name: "¿Seguro que quieres eliminar este concierto?",
    });
    expect(dialog).toHaveTextContent("Se eliminará «Gira» con 1 enlace.");
  });

  test("a documentary opens its own page", async () => {
    const { user } = renderPage("/content/documentaries");
    await user.click(await screen.findByRole("link", { name: "Ver «Volcanes»" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Detalles del documental" })).toBeVisible();
    expect(await screen.findByText("Ciencia")).toBeVisible();
    expect(screen.getByText(link.url)).toBeVisible();
  });
});

describe("channels", () => {
  test("an internal one takes a number, an external one an address, each with its own message", async () => {
    server.use(
      http.get("/api/channels-base-url", () => HttpResponse.json({ baseUrl: "https://live.example.com/tv" })),
    );
    const { user } = renderPage("/content/tv-channels/1/edit");
    const url = await screen.findByLabelText(/^URL de la transmisión/);
    await user.clear(url);
    await user.type(url, "siete");
    await user.tab();
    expect(url).toHaveAccessibleDescription(/La URL no es válida/);
    await user.clear(url);
    await user.type(url, "ftp://live.example.com/7");
    expect(url).toHaveAccessibleDescription(/debe empezar por/);

    await choose(user, "Tipo de dirección", "Interna");
    const id = await screen.findByLabelText(/^ID numérico del canal/);
    expect(id).toHaveValue("");
    await user.type(id, "10a");
    await user.tab();
    expect(id).toHaveAccessibleDescription(/Un canal interno lleva un ID numérico/);
    await user.clear(id);
    await user.type(id, "103451");
    expect(id).toBeValid();
    expect(await screen.findByText("https://live.example.com/tv/103451")).toBeVisible();

    await choose(user, "Tipo de dirección", "Externa");
    expect(await screen.findByLabelText(/^URL de la transmisión/)).toHaveValue("ftp://live.example.com/7");
  });

  test("a number that is used is said, and no error", async () => {
    const { user } = renderPage("/content/tv-channels/create");
    await user.type(await screen.findByLabelText(/^Número/), "7");
    const twin = await screen.findByRole("link", { name: "Canal Siete" });
    expect(twin.closest("output")).toHaveTextContent(/^El número 7 ya lo usa «Canal Siete»/);
    expect(screen.getByLabelText(/^Número/)).toBeValid();
  });

  test("its own number is no repetition", async () => {
    renderPage("/content/tv-channels/1/edit");
    await screen.findByLabelText(/^Número/);
    await waitFor(() =>
      expect(sent("GET /api/tv-channels?").some((call) => call.includes("channelNumber=7"))).toBe(true),
    );
    await act(() => new Promise((done) => setTimeout(done, 50)));
    expect(screen.queryByText(/ya lo usa/)).not.toBeInTheDocument();
  });

  test("the list can be narrowed to repeated numbers", async () => {
    const { user, address } = renderPage("/content/tv-channels");
    await screen.findByText("Canal Siete");
    await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
    await user.click(await screen.findByRole("menuitem", { name: "Número repetido" }));
    await user.selectOptions(screen.getByLabelText("Número repetido"), "true");
    await waitFor(() => expect(address()).toBe("/content/tv-channels?duplicated=true"));
    await waitFor(() => expect(backend.requests.some((call) => call.includes("duplicated=true"))).toBe(true));
  });

  test("guides that cannot be loaded say so in the field", async () => {
    server.use(http.get("/api/tv-guides", () => problem(403, {})));
    renderPage("/content/tv-channels/1/edit");
    const guide = await screen.findByRole("combobox", { name: /^Guía de TV/ });
    await waitFor(() => expect(guide).toHaveAccessibleDescription(/Error al cargar opciones/));
  });

  test("no guides are said in the field", async () => {
    backend.tables["tv-guides"] = [];
    renderPage("/content/tv-channels/1/edit");
    expect(await screen.findByPlaceholderText("No hay opciones disponibles")).toBeVisible();
    expect(sent("GET /api/tv-guides?")[0]).toContain("_size=1000");
  });
});

describe("radio stations", () => {
  test("a station without a country has a quiet dash", async () => {
    Object.assign(backend.tables["radio-stations"]?.[0] ?? {}, { country: "", genres: ["POP"] });
    renderPage("/content/radio-stations");
    const row = (await screen.findByText("Radio Uno")).closest("tr") as HTMLElement;
    expect(within(row).getByText("Sin valor")).toBeInTheDocument();
    expect(within(row).queryByText(/^\+/)).not.toBeInTheDocument();
  });

  test("what is missing is said in the server's words", async () => {
    const { user } = renderPage("/content/radio-stations/create");
    await user.click(await screen.findByRole("button", { name: "Crear estación de radio" }));
    expect(await screen.findByText("El código es requerido")).toBeVisible();
    expect(screen.getByText("La URL de la transmisión es requerida")).toBeVisible();
  });

  test("the logo is seen while its address is typed, and a picture stands in for one that fails", async () => {
    renderPage("/content/radio-stations/1/edit");
    const field = await screen.findByLabelText(/^URL del logo/);
    fireEvent.change(field, { target: { value: "https://images.example.com/r.png" } });
    const section = screen.getByRole("region", { name: "Logo" });
    await waitFor(() =>
      expect(section.querySelector("img")).toHaveAttribute("src", "https://images.example.com/r.png"),
    );
    fireEvent.error(section.querySelector("img") as HTMLElement);
    expect(section.querySelector("img")).not.toBeInTheDocument();
    expect(section.querySelector(".cover svg")).toBeInTheDocument();
  });
});

test("a documentary says its bounds in its own words", async () => {
  const { user } = renderPage("/content/documentaries/1/edit");
  const year = await screen.findByLabelText(/^Año/);
  for (const [value, text] of [
    ["1899", "Año debe ser al menos 1900"],
    ["2101", "Año no puede exceder 2100"],
  ] as const) {
    await user.clear(year);
    await user.type(year, value);
    await user.tab();
    expect(year).toHaveAccessibleDescription(new RegExp(text));
  }
});

test("a new documentary is for everybody, and needs a category", async () => {
  const { user } = renderPage("/content/documentaries/create");
  expect(await screen.findByRole("combobox", { name: /^Clasificación/ })).toHaveValue(
    "G: todos los públicos",
  );
  await user.click(screen.getByRole("button", { name: "Crear documental" }));
  expect(await screen.findByText("Categoría es requerida")).toBeVisible();
});

test("a concert has no trailer", async () => {
  renderPage("/content/concerts/1/edit");
  await screen.findByLabelText(/^Título/);
  expect(screen.queryByLabelText(/tráiler/)).not.toBeInTheDocument();
  expect(screen.getByText("La imagen de fondo se verá aquí.")).toBeVisible();
});

describe("the preview of a sport", () => {
  beforeEach(() => {
    Object.assign(backend.tables.sports?.[0] ?? {}, {
      trailerUrl: "https://cdn.example.com/t.mp4",
      backgroundImageUrl: "https://images.example.com/b.jpg",
    });
  });

  test("plays where it is, in the corner and over everything, without starting again", async () => {
    const { user } = renderPage("/content/sports/1/edit");
    await user.click(await screen.findByRole("button", { name: "Reproducir aquí" }));
    const player = screen.getByLabelText("Tráiler", { selector: "video" });
    const frame = player.closest("section") as HTMLElement;
    expect(frame).toHaveAttribute("data-mode", "inline");
    await user.click(within(frame).getByRole("button", { name: "Minimizar" }));
    expect(frame).toHaveAttribute("data-mode", "small");
    await user.click(within(frame).getByRole("button", { name: "Maximizar" }));
    expect(frame).toHaveAttribute("data-mode", "large");
    expect(frame).toHaveAttribute("role", "dialog");
    await user.keyboard("{Escape}");
    expect(frame).toHaveAttribute("data-mode", "inline");
    expect(screen.getByLabelText("Tráiler", { selector: "video" })).toBe(player);
    const open = within(frame).getByRole("link", { name: "Abrir en otra pestaña" });
    expect(open).toHaveAttribute("href", "https://cdn.example.com/t.mp4");
    expect(open).toHaveAttribute("target", "_blank");
    await user.click(within(frame).getByRole("button", { name: "Cerrar la vista previa" }));
    expect(screen.queryByLabelText("Tráiler", { selector: "video" })).not.toBeInTheDocument();
  });

  test("only one is out of its place at a time", async () => {
    const { user } = renderPage("/content/sports/1/edit");
    const picture = (await screen.findByAltText("Imagen de fondo")).closest("section") as HTMLElement;
    await user.click(within(picture).getByRole("button", { name: "Minimizar" }));
    await user.click(screen.getByRole("button", { name: "Reproducir aquí" }));
    const player = screen.getByRole("region", { name: "Tráiler" });
    await user.click(within(player).getByRole("button", { name: "Minimizar" }));
    expect(player).toHaveAttribute("data-mode", "small");
    expect(picture).toHaveAttribute("data-mode", "inline");
  });
});

describe.each([
  {
    route: "tv-channels",
    at: "/api/channels-base-url",
    key: "channelsBaseUrl",
    title: "URL base de los canales",
    failed: { es: "Error al cargar la URL base de los canales", en: "Failed to load channels base URL" },
    word: "TVCHANNEL",
  },
  {
    route: "radio-stations",
    at: "/api/radio-stations-base-url",
    key: "radioStationsBaseUrl",
    title: "URL base de las estaciones de radio",
    failed: {
      es: "Error al cargar la URL base de las estaciones de radio",
      en: "Failed to load radio stations base URL",
    },
    word: "RADIOSTATION",
  },
])("the base URL of $route", ({ route, at, key, title, failed, word }) => {
  let base: string | null;
  beforeEach(() => {
    base = "https://old.example.com/";
    const answer = () => HttpResponse.json({ [key]: base, baseUrl: base });
    server.use(
      http.get(at, answer),
      http.put(at, async ({ request }) => {
        base = ((await request.json()) as { baseUrl: string }).baseUrl || null;
        return answer();
      }),
    );
  });
  const open = async () => {
    const opened = renderPage(`/content/${route}`);
    const panel = await screen.findByRole("region", { name: title });
    return { ...opened, panel };
  };

  test("is shown, edited and saved; the news goes after three seconds", async () => {
    const { panel, user } = await open();
    expect(await within(panel).findByText("https://old.example.com/")).toBeVisible();
    await user.click(within(panel).getByRole("button", { name: "Editar URL base" }));
    const field = within(panel).getByRole("textbox", { name: title });
    expect(field).toHaveValue("https://old.example.com/");
    expect(field).toHaveFocus();
    fireEvent.change(field, { target: { value: " https://new.example.com/ " } });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    fireEvent.click(within(panel).getByRole("button", { name: "Guardar" }));
    expect(await within(panel).findByText("URL base guardada")).toBeVisible();
    expect(within(panel).getByText("https://new.example.com/")).toBeVisible();
    act(() => void vi.advanceTimersByTime(2500));
    expect(within(panel).getByText("URL base guardada")).toBeVisible();
    act(() => void vi.advanceTimersByTime(1000));
    expect(within(panel).queryByText("URL base guardada")).not.toBeInTheDocument();
    expect(base).toBe("https://new.example.com/");
  });

  test("cancelling restores it", async () => {
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    await user.type(within(panel).getByRole("textbox", { name: title }), "x");
    await user.click(within(panel).getByRole("button", { name: "Cancelar" }));
    expect(within(panel).getByText("https://old.example.com/")).toBeVisible();
    expect(sent("PUT")).toEqual([]);
  });

  test("a refusal is shown with the server's reason, and entering again begins clean", async () => {
    server.use(http.put(at, () => problem(422, { message: "Esa URL no vale." })));
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    await user.click(within(panel).getByRole("button", { name: "Guardar" }));
    expect(await within(panel).findByText("Esa URL no vale.")).toBeVisible();
    await user.click(within(panel).getByRole("button", { name: "Cancelar" }));
    await user.click(within(panel).getByRole("button", { name: "Editar URL base" }));
    expect(within(panel).queryByText("Esa URL no vale.")).not.toBeInTheDocument();
  });

  test("an empty field clears it", async () => {
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    await user.clear(within(panel).getByRole("textbox", { name: title }));
    await user.click(within(panel).getByRole("button", { name: "Guardar" }));
    expect(await within(panel).findByText("Sin configurar")).toBeVisible();
    expect(base).toBeNull();
  });

  test("none is said", async () => {
    base = null;
    const { panel } = await open();
    expect(await within(panel).findByText("Sin configurar")).toBeVisible();
  });

  test("who may only read cannot edit it", async () => {
    backend.user = { ...sampleUser, permissions: [`${word}_READ`] };
    const { panel } = await open();
    expect(await within(panel).findByText("https://old.example.com/")).toBeVisible();
    expect(within(panel).queryByRole("button")).not.toBeInTheDocument();
  });

  test("a failure to load is said, in both languages", async () => {
    server.use(http.get(at, () => problem(403, { message: "Hoy no." })));
    const { panel } = await open();
    expect(await within(panel).findByText(failed.es)).toBeVisible();
    await act(() => chooseLanguage("en"));
    expect(await screen.findByText(failed.en)).toBeVisible();
  });
});
