// Films: the lookup in the film database, links, the page of a film.
import { act, screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

const sent = (method: string) => backend.requests.filter((request) => request.startsWith(method));

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
