// What holds for every kind of content, and what only some do: lists, toggles, deletes, forms.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { server } from "../../testing/server";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

const may = (...permissions: string[]) => {
  backend.user = { ...sampleCurrentUser, permissions };
};
const sent = (method: string) => backend.requests.filter((request) => request.startsWith(method));

describe.each([
  { kind: "categories", word: "CATEGORY", name: "Acción", toggle: "CATEGORY_TOGGLE_STATUS" },
  { kind: "movies", word: "MOVIE", name: "Dune", toggle: "MOVIE_UPDATE" },
])("$kind", ({ kind, word, name, toggle }) => {
  test("without permissions beyond reading, a row offers nothing to change", async () => {
    may(`${word}_READ`);
    renderPage(`/content/${kind}`);
    await screen.findByText(name);
    expect(screen.queryByRole("link", { name: /^Crear/ })).not.toBeInTheDocument();
    expect(screen.queryByRole("link", { name: `Editar «${name}»` })).not.toBeInTheDocument();
    expect(screen.queryByRole("button", { name: `Eliminar «${name}»` })).not.toBeInTheDocument();
    expect(screen.queryByRole("switch")).not.toBeInTheDocument();
    expect(screen.getAllByText("Activo").length).toBeGreaterThan(0);
  });

  test("the toggle is optimistic, and stays after a success", async () => {
    may(`${word}_READ`, toggle);
    const { user } = renderPage(`/content/${kind}`);
    const control = await screen.findByRole("switch", { name: `«${name}» activo` });
    await user.click(control);
    expect(control).not.toBeChecked();
    await waitFor(() => expect(sent("PATCH")).toHaveLength(1));
    expect(backend.bodies).toContainEqual({ active: false });
    await waitFor(() => expect(control).not.toBeChecked());
  });

  test("the toggle comes back with the reason when the server refuses", async () => {
    server.use(
      http.patch(`/api/${kind}/:id/status`, async () => {
        await delay(50);
        return problem(403, { code: "FORBIDDEN", message: "No tienes permiso." });
      }),
    );
    const { user } = renderPage(`/content/${kind}`);
    const control = await screen.findByRole("switch", { name: `«${name}» activo` });
    await user.click(control);
    expect(control).not.toBeChecked();
    await waitFor(() => expect(control).toBeChecked());
    expect(await screen.findByText("No tienes permiso.")).toBeVisible();
    expect(screen.getByText(`No se pudo desactivar «${name}»`)).toBeVisible();
  });

  test("deleting needs a confirmation, with the focus on the safe choice", async () => {
    const { user } = renderPage(`/content/${kind}`);
    await user.click(await screen.findByRole("button", { name: `Eliminar «${name}»` }));
    const dialog = await screen.findByRole("dialog");
    await waitFor(() => expect(within(dialog).getByRole("button", { name: "Cancelar" })).toHaveFocus());
    expect(dialog).toHaveTextContent(`Se eliminará «${name}»`);
    await user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(sent("DELETE")).toEqual([]);
  });

  test("deleting removes the row", async () => {
    const { user } = renderPage(`/content/${kind}`);
    const box = await screen.findByRole("checkbox", { name: `Seleccionar «${name}»` });
    await user.click(box);
    expect(await screen.findByRole("region", { name: "Selección" })).toBeVisible();
    await user.click(await screen.findByRole("button", { name: `Eliminar «${name}»` }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText(`Se eliminó «${name}»`)).toBeVisible();
    await waitFor(() =>
      expect(screen.queryByRole("button", { name: `Eliminar «${name}»` })).not.toBeInTheDocument(),
    );
    expect(screen.queryByRole("region", { name: "Selección" })).not.toBeInTheDocument();
  });

  test("an item that is not there says so, with a way back", async () => {
    const { user, address } = renderPage(`/content/${kind}/999/edit`);
    expect(await screen.findByText(/no fue encontrada|no encontrada/)).toBeVisible();
    await user.click(screen.getByRole("link", { name: /^Volver a/ }));
    await waitFor(() => expect(address()).toBe(`/content/${kind}`));
  });

  test("an item that cannot be loaded says why", async () => {
    server.use(http.get(`/api/${kind}/:id`, () => problem(403, { message: "Hoy no." })));
    renderPage(`/content/${kind}/1/edit`);
    expect(await screen.findByText(/Error al cargar/)).toBeVisible();
    expect(screen.getByText("Hoy no.")).toBeVisible();
  });
});

test("what is deleted with a movie is shown before the deletion", async () => {
  const { user } = renderPage("/content/movies");
  await user.click(await screen.findByRole("button", { name: "Eliminar «Dune»" }));
  expect(await screen.findByRole("dialog")).toHaveTextContent("Se eliminará «Dune» con 1 enlace.");
});

test("a category in use stays, and the server's reason is shown", async () => {
  server.use(
    http.delete("/api/categories/:id", () =>
      problem(409, { code: "IN_USE", message: "La usan 12 películas." }),
    ),
  );
  const { user } = renderPage("/content/categories");
  await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
  expect(await screen.findByText("La usan 12 películas.")).toBeVisible();
  expect(screen.getByText("Acción")).toBeVisible();
});

test.each(["CATEGORY_READ", "CATEGORY_CREATE", "CATEGORY_UPDATE", "CATEGORY_DELETE"])(
  "%s alone opens the categories",
  async (permission) => {
    may(permission);
    renderPage("/content/categories");
    expect(await screen.findByRole("heading", { name: "Categorías" })).toBeVisible();
  },
);

describe("creating a category", () => {
  test("checks first, focuses the first error, then saves once and goes back", async () => {
    const { user, address } = renderPage("/content/categories/create");
    await user.click(await screen.findByRole("button", { name: "Crear categoría" }));
    const spanish = screen.getByLabelText(/^Descripción(?! en)/);
    await waitFor(() => expect(spanish).toHaveFocus());
    expect(spanish).toHaveAccessibleDescription(/obligatori/);
    expect(sent("POST /api/categories")).toEqual([]);

    await user.type(spanish, "Terror");
    await user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror");
    await user.dblClick(screen.getByRole("button", { name: "Crear categoría" }));
    expect(await screen.findByText("Se creó «Terror»")).toBeVisible();
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(sent("POST /api/categories")).toHaveLength(1);
    expect(backend.bodies).toContainEqual({
      description: "Terror",
      englishDescription: "Horror",
      type: "MOVIE",
      active: true,
    });
    expect(await screen.findByRole("link", { name: "Terror" })).toBeVisible();
  });

  test("what the server finds is shown at the field, and everything typed is kept", async () => {
    server.use(
      http.post("/api/categories", () =>
        problem(422, {
          code: "VALIDATION_FAILED",
          message: "Hay datos que corregir.",
          errors: [{ field: "englishDescription", code: "SOMETHING_NEW", message: "Ese nombre ya existe." }],
        }),
      ),
    );
    const { user } = renderPage("/content/categories/create");
    await user.type(await screen.findByLabelText(/^Descripción(?! en)/), "Terror");
    await user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror{Enter}");
    const english = screen.getByLabelText(/^Descripción en inglés/);
    await waitFor(() => expect(english).toHaveAccessibleDescription(/Ese nombre ya existe\./));
    expect(screen.getByText("Hay datos que corregir.")).toBeVisible();
    expect(english).toHaveFocus();
    expect(english).toHaveValue("Horror");
  });

  test("a second try after a lost answer carries the same key; another body, another key", async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post("/api/categories", ({ request }) => {
        keys.push(request.headers.get("idempotency-key"));
        return HttpResponse.error();
      }),
    );
    const { user } = renderPage("/content/categories/create");
    await user.type(await screen.findByLabelText(/^Descripción(?! en)/), "Terror");
    await user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror");
    const save = screen.getByRole("button", { name: "Crear categoría" });
    await user.click(save);
    expect(
      await screen.findByText("Error de red. Comprueba tu conexión e inténtalo de nuevo."),
    ).toBeVisible();
    await user.click(save);
    await waitFor(() => expect(keys).toHaveLength(2));
    await user.type(screen.getByLabelText(/^Descripción en inglés/), "!");
    await user.click(save);
    await waitFor(() => expect(keys).toHaveLength(3));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test("leaving with changes requests once", async () => {
    const { user, address } = renderPage("/content/categories/create");
    await user.type(await screen.findByLabelText(/^Descripción(?! en)/), "Terror");
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    const dialog = await screen.findByRole("dialog", { name: "¿Salir sin guardar?" });
    await user.click(within(dialog).getByRole("button", { name: "Seguir editando" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(address()).toBe("/content/categories/create");
    expect(screen.getByLabelText(/^Descripción(?! en)/)).toHaveValue("Terror");
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
  });

  test("leaving without changes requests nothing", async () => {
    const { user, address } = renderPage("/content/categories/create");
    await user.click(await screen.findByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  });
});

describe("editing", () => {
  test("sends the whole item with its version, by Ctrl+S, and returns to the list", async () => {
    const { user, address } = renderPage("/content/categories/1/edit");
    const spanish = await screen.findByLabelText(/^Descripción(?! en)/);
    await user.clear(spanish);
    await user.type(spanish, "Acción y más");
    let version: string | null = null;
    server.events.on("request:start", ({ request }) => {
      if (request.method === "PUT") version = request.headers.get("if-match");
    });
    fireEvent.keyDown(spanish, { key: "s", ctrlKey: true });
    expect(await screen.findByText("Se guardó «Acción y más»")).toBeVisible();
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(version).toBe('"3"');
    expect(backend.bodies).toContainEqual({
      description: "Acción y más",
      englishDescription: "Action",
      type: "MOVIE",
      active: true,
    });
  });

  test("a session that ends while saving takes nothing with it", async () => {
    const { user, address } = renderPage("/content/categories/1/edit");
    const spanish = await screen.findByLabelText(/^Descripción(?! en)/);
    await user.clear(spanish);
    await user.type(spanish, "A medias");
    server.use(http.put("/api/categories/:id", () => problem(401, { code: "NOT_AUTHENTICATED" })));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByText("Tu sesión ha caducado. Inicia sesión de nuevo.")).toBeVisible();
    expect(spanish).toHaveValue("A medias");
    server.resetHandlers();
    await user.type(screen.getByLabelText("Contraseña"), "secreta{Enter}");
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.[0]).toMatchObject({ description: "A medias" });
  });

  /** Both users changed the Spanish description; only the other user changed the English one. */
  const conflict = async () => {
    const opened = renderPage("/content/categories/1/edit");
    const spanish = await screen.findByLabelText(/^Descripción(?! en)/);
    await opened.user.clear(spanish);
    await opened.user.type(spanish, "La mía");
    Object.assign(backend.tables.categories?.[0] ?? {}, {
      version: 4,
      description: "La suya",
      englishDescription: "Theirs",
    });
    await opened.user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    const dialog = await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" });
    const field = within(within(dialog).getByRole("radiogroup", { name: "Descripción" }));
    expect(field.getByRole("radio", { name: "Lo tuyo", description: "La mía" })).toBeChecked();
    expect(field.getByRole("radio", { name: "Lo de la otra persona", description: "La suya" })).toBeVisible();
    expect(within(dialog).getByText(/lo que cambió en: Descripción en inglés/)).toBeVisible();
    return { ...opened, dialog, spanish, field };
  };

  test("changes that do not overlap are merged without a question", async () => {
    const { user, address } = renderPage("/content/categories/1/edit");
    const spanish = await screen.findByLabelText(/^Descripción(?! en)/);
    await user.clear(spanish);
    await user.type(spanish, "La mía");
    Object.assign(backend.tables.categories?.[0] ?? {}, { version: 4, englishDescription: "Theirs" });
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.[0]).toMatchObject({
      description: "La mía",
      englishDescription: "Theirs",
      version: 5,
    });
  });

  test("where both changed a field, mine can be kept, and what only they changed stays theirs", async () => {
    const { user, dialog, address } = await conflict();
    await user.click(within(dialog).getByRole("button", { name: "Guardar lo elegido" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.[0]).toMatchObject({
      description: "La mía",
      englishDescription: "Theirs",
      version: 5,
    });
  });

  test("where both changed a field, theirs can be kept", async () => {
    const { user, dialog, address, field } = await conflict();
    await user.click(field.getByRole("radio", { name: "Lo de la otra persona" }));
    await user.click(within(dialog).getByRole("button", { name: "Guardar lo elegido" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.[0]).toMatchObject({ description: "La suya", version: 5 });
  });

  test("a draft that was kept over the end of a session does not undo what was saved meanwhile", async () => {
    const { user, address } = renderPage("/content/categories/1/edit");
    const spanish = await screen.findByLabelText(/^Descripción(?! en)/);
    await user.clear(spanish);
    await user.type(spanish, "La mía");
    server.use(http.put("/api/categories/:id", () => problem(401, { code: "NOT_AUTHENTICATED" })));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await screen.findByText("Tu sesión ha caducado. Inicia sesión de nuevo.");
    await user.click(screen.getByRole("button", { name: "Salir a la pantalla de inicio de sesión" }));
    server.resetHandlers();
    Object.assign(backend.tables.categories?.[0] ?? {}, { version: 4, englishDescription: "Theirs" });
    await user.type(await screen.findByLabelText("Usuario"), "ana");
    await user.type(screen.getByLabelText("Contraseña"), "secreta{Enter}");
    await screen.findByText(/^Recuperamos lo que estabas escribiendo/);
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.[0]).toMatchObject({
      description: "La mía",
      englishDescription: "Theirs",
    });
  });

  test("after a conflict the edit can be discarded for the stored version", async () => {
    const { user, dialog, spanish } = await conflict();
    await user.click(within(dialog).getByRole("button", { name: "Descartar lo mío" }));
    await waitFor(() => expect(spanish).toHaveValue("La suya"));
    expect(screen.getByLabelText(/^Descripción en inglés/)).toHaveValue("Theirs");
  });

  test("after a conflict closing the dialog keeps the edit", async () => {
    const { user, dialog, spanish } = await conflict();
    await user.click(within(dialog).getByRole("button", { name: "Seguir editando" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(spanish).toHaveValue("La mía");
  });
});

describe("movies", () => {
  test("from the film database to a saved film, and back to the lookup", async () => {
    const { user } = renderPage("/content/movies/create");
    await user.type(await screen.findByLabelText("ID de IMDB"), "0133093{Enter}");
    expect(await screen.findByLabelText(/^Título/)).toHaveValue("The Matrix");
    expect(screen.getByText(/Cyberpunk/)).toBeVisible();
    expect(screen.getByLabelText(/^Duración/)).toHaveValue("136");

    await user.click(screen.getByRole("combobox", { name: /^Categoría/ }));
    await user.click(await screen.findByRole("option", { name: "Acción" }));
    await user.click(screen.getByRole("combobox", { name: /^Clasificación/ }));
    await user.click(await screen.findByRole("option", { name: /^PG-13/ }));

    await user.click(screen.getByRole("button", { name: "Crear película" }));
    expect(await screen.findByText("Añade al menos un enlace")).toBeVisible();

    await user.click(screen.getByRole("button", { name: "Añadir enlace" }));
    const dialog = await screen.findByRole("dialog", { name: "Añadir enlace" });
    await pasteInto(user, within(dialog).getByLabelText(/^URL/), "https://cdn.example.com/matrix.m3u8");
    await user.click(within(dialog).getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.click(within(dialog).getByRole("button", { name: "Añadir" }));
    expect(await screen.findByText("https://cdn.example.com/matrix.m3u8")).toBeVisible();

    await user.click(screen.getByRole("button", { name: "Crear película" }));
    expect(await screen.findByText("Se creó «The Matrix»")).toBeVisible();
    expect(await screen.findByLabelText("ID de IMDB")).toHaveValue("");
    const created = backend.bodies.find((body) => (body as { title?: string }).title === "The Matrix");
    expect(created).toMatchObject({
      imdbId: "tt0133093",
      year: 1999,
      rating: 8.7,
      genres: ["ACTION", "SCI_FI"],
      categoryId: 1,
      classification: "PG_13",
      spanishSynopsis: null,
      links: [{ quality: "FHD", audioLanguages: ["SPANISH"], subtitleLanguages: [], active: true }],
    });
  });

  test("an unknown film is reported, and the form can be filled in manually", async () => {
    const { user } = renderPage("/content/movies/create");
    const field = await screen.findByLabelText("ID de IMDB");
    expect(screen.getByRole("button", { name: "Buscar" })).toBeDisabled();
    await user.type(field, "tt9999999");
    await user.click(screen.getByRole("button", { name: "Buscar" }));
    expect(await screen.findByText("Película no encontrada en IMDB")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Llenar formulario manualmente" }));
    expect(await screen.findByLabelText(/^Título/)).toHaveValue("");
    await user.click(screen.getByRole("button", { name: "Buscar por IMDB" }));
    const again = (await screen.findByRole("button", { name: "Buscar" })).closest("section") as HTMLElement;
    expect(within(again).getByLabelText("ID de IMDB")).toBeVisible();
  });

  test("another lookup keeps the typed values, and leaving still needs a confirmation", async () => {
    const { user, router, address } = renderPage("/content/movies/create");
    await user.click(await screen.findByRole("button", { name: "Llenar formulario manualmente" }));
    await user.type(await screen.findByLabelText(/^Título/), "Duna");
    await user.click(screen.getByRole("button", { name: "Buscar por IMDB" }));
    const search = await screen.findByRole("button", { name: "Buscar" });
    expect(screen.getByLabelText(/^Título/)).toHaveValue("Duna");
    await act(() => router.navigate("/content/movies"));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    const lookup = within(search.closest("section") as HTMLElement);
    await user.click(lookup.getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(search).not.toBeInTheDocument());
    expect(address()).toBe("/content/movies/create");
    expect(screen.getByLabelText(/^Título/)).toHaveValue("Duna");
  });

  test("a title finds films to choose from", async () => {
    const { user } = renderPage("/content/movies/create");
    await user.type(await screen.findByLabelText("ID de IMDB"), "matrix{Enter}");
    await user.click(await screen.findByRole("button", { name: /The Matrix/ }));
    expect(await screen.findByLabelText(/^Título/)).toHaveValue("The Matrix");
  });

  test("the link dialog validates while typing, and saves into the form only", async () => {
    const { user } = renderPage("/content/movies/2/edit");
    await user.click(await screen.findByRole("button", { name: /^Editar el enlace/ }));
    const dialog = await screen.findByRole("dialog", { name: "Editar enlace" });
    const url = within(dialog).getByLabelText(/^URL/);
    await user.clear(url);
    await user.type(url, "javascript:x");
    expect(url).toBeInvalid();
    await user.clear(url);
    await user.type(url, "rtmp://live.example.com/1");
    expect(url).toBeValid();
    await user.click(within(dialog).getByRole("button", { name: "Aplicar" }));
    expect(await screen.findByText("rtmp://live.example.com/1")).toBeVisible();
    await user.click(screen.getByRole("button", { name: /^Desactivar el enlace/ }));
    expect(screen.getByText("Inactivo")).toBeVisible();
    expect(sent("PUT")).toEqual([]);
    await user.click(screen.getByRole("button", { name: /^Eliminar el enlace/ }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText("Todavía no hay enlaces.")).toBeVisible();
  });

  test("what the server finds in a link is shown with the links", async () => {
    server.use(
      http.put("/api/movies/:id", () =>
        problem(422, {
          message: "Revisa los datos.",
          errors: [{ field: "links[0].url", code: "INVALID_URL", message: "URL no válida" }],
        }),
      ),
    );
    const { user } = renderPage("/content/movies/2/edit");
    await user.type(await screen.findByLabelText(/^Título/), " 2{Enter}");
    expect(await screen.findByText(/^Enlace 1: /)).toBeVisible();
    expect(screen.getByText("Revisa los datos.")).toBeVisible();
  });

  test("categories that cannot be loaded say so in the field", async () => {
    server.use(http.get("/api/categories", () => problem(403, {})));
    renderPage("/content/movies/2/edit");
    const field = await screen.findByRole("combobox", { name: /^Categoría/ });
    await waitFor(() => expect(field).toHaveAccessibleDescription(/Error al cargar opciones/));
  });

  test("no categories says so in the field", async () => {
    backend.tables.categories = [];
    renderPage("/content/movies/2/edit");
    expect(await screen.findByPlaceholderText("No hay opciones disponibles")).toBeVisible();
  });

  test("the page of a movie shows its facts and links", async () => {
    Object.assign(backend.tables.movies?.[1] ?? {}, {
      trailerUrl: "https://youtu.be/vKQi3bBA1y8",
      backgroundImageUrl: "javascript:alert(1)",
    });
    renderPage("/content/movies/2");
    expect(await screen.findByRole("heading", { level: 1, name: "Detalles de la película" })).toBeVisible();
    expect(await screen.findByRole("heading", { name: "Dune" })).toBeVisible();
    expect(screen.getByText("https://cdn.example.com/2/1080.m3u8")).toBeVisible();
    const player = screen.getByTitle("Tráiler");
    expect(player).toHaveAttribute("src", "https://www.youtube-nocookie.com/embed/vKQi3bBA1y8");
    expect(player).toHaveAttribute("sandbox");
    expect(screen.queryByAltText("Imagen de fondo")).not.toBeInTheDocument();
  });

  test("the page of a movie is called Movie Details in English", async () => {
    await chooseLanguage("en");
    renderPage("/content/movies/2");
    expect(await screen.findByRole("heading", { level: 1, name: "Movie Details" })).toBeVisible();
    await waitFor(() => expect(document.title).toBe("Movie Details · Cartelera"));
  });

  test("the calls carry the language", async () => {
    const languages: (string | null)[] = [];
    server.events.on("request:start", ({ request }) => {
      if (request.url.includes("/api/movies?")) languages.push(request.headers.get("accept-language"));
    });
    renderPage("/content/movies");
    await screen.findByText("Dune");
    await act(() => chooseLanguage("en"));
    expect(await screen.findByRole("heading", { name: "Movies" })).toBeVisible();
    expect(languages[0]).toBe("es");
  });
});
