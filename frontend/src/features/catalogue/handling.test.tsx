// Handling of forms and lists: choices by keyboard, the focus, confirmations before something is lost, and what can be
// undone.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, sent } from "../../testing/backend";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { sampleShow } from "../../testing/series";
import { server } from "../../testing/server";
import { sampleUser } from "../../testing/users";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

describe("choices", () => {
  test("typing replaces the chosen text, Enter chooses the first match and does not submit the form", async () => {
    const { user } = renderPage("/content/categories/create");
    const type = await screen.findByRole("combobox", { name: /^Tipo/ });
    expect(type).toHaveValue("Películas");
    await user.click(type);
    await user.keyboard("depor");
    expect(type).toHaveValue("depor");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(type).toHaveValue("Deportes"));
    await waitFor(() => expect((type as HTMLInputElement).selectionStart).toBe(0));
    await user.keyboard("docu{Enter}");
    await waitFor(() => expect(type).toHaveValue("Documentales"));
    expect(screen.queryByText(/obligatori/)).not.toBeInTheDocument();
  });

  test("after a single letter, too, Enter takes the first match", async () => {
    const { user } = renderPage("/content/categories/create");
    const type = await screen.findByRole("combobox", { name: /^Tipo/ });
    await user.click(await screen.findByLabelText(/^Descripción en inglés/));
    await user.tab();
    expect(type).toHaveFocus();
    await user.keyboard("v");
    expect(await screen.findByRole("option", { name: "Canales de TV" })).toHaveAttribute(
      "data-combobox-selected",
    );
    // Opening the list notes its selected option a task later.
    await new Promise((later) => setTimeout(later));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(type).toHaveValue("Canales de TV"));
    // And without accents, as people type.
    await user.keyboard("musi{Enter}");
    await waitFor(() => expect(type).toHaveValue("Música"));
  });

  test("Enter without a match leaves the form alone", async () => {
    const { user } = renderPage("/content/categories/create");
    await user.type(await screen.findByLabelText(/^Descripción(?! en)/), "Terror");
    await user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror");
    await user.click(screen.getByRole("combobox", { name: /^Tipo/ }));
    await user.keyboard("zzz{Enter}");
    expect(await screen.findByText("Ninguna opción coincide")).toBeVisible();
    expect(sent("POST /api/categories")).toEqual([]);
  });

  test("of several, too, Enter takes the first match", async () => {
    const { user } = renderPage("/content/movies/2/edit");
    const genres = await screen.findByRole("combobox", { name: /^Géneros/ });
    await user.click(genres);
    await user.keyboard("terr{Enter}");
    expect((await screen.findAllByText("Terror")).length).toBeGreaterThan(0);
    expect(genres).toHaveValue("");
    expect(sent("PUT")).toEqual([]);
  });
});

describe("the focus", () => {
  test("begins in the first field of something new, and of a dialog", async () => {
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("link", { name: "Crear categoría" }));
    await waitFor(() => expect(screen.getByLabelText(/^Descripción(?! en)/)).toHaveFocus());
  });

  test("goes to the row that took the place of a deleted one", async () => {
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "Acción" })).not.toBeInTheDocument());
    await waitFor(() => expect(screen.getByRole("link", { name: "Clásicos" })).toHaveFocus());
  });

  test("Escape in a dialog with typed text needs a confirmation", async () => {
    const { user } = renderPage("/content/movies/2/edit");
    await user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
    const url = within(await screen.findByRole("dialog")).getByLabelText(/^URL/);
    await waitFor(() => expect(url).toHaveFocus());
    await user.keyboard("https://cdn.example.com/a{Escape}");
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(url).toHaveValue("https://cdn.example.com/a");
  });
});

describe("the list of categories in English", () => {
  test("shows both descriptions, and sorts by the one that names the row", async () => {
    await chooseLanguage("en");
    try {
      const { user } = renderPage("/content/categories");
      const row = (await screen.findByRole("link", { name: "Action" })).closest("tr");
      expect(row).toHaveTextContent("Acción");
      await user.click(screen.getByRole("button", { name: "Description" }));
      await waitFor(() => expect(sent("GET /api/categories").join()).toContain("_sort=+englishDescription"));
    } finally {
      await chooseLanguage("es");
    }
  });
});

test("an unknown parameter in the address is reported, and the list is shown without it", async () => {
  const { address } = renderPage("/content/categories?sort=foo&active=quizas&page=x");
  expect(
    await screen.findByText(
      "La dirección pedía algo que esta lista no tiene (sort=foo, active=quizas y page=x). Se muestra sin ello.",
    ),
  ).toBeVisible();
  expect(await screen.findByRole("link", { name: "Acción" })).toBeVisible();
  expect(address()).toBe("/content/categories");
});

test("a day that does not exist is reported in the same way", async () => {
  const days = "updatedDateFrom=2026-02-28&updatedDateTo=2026-02-30";
  const { address } = renderPage(`/content/categories?${days}`);
  expect(await screen.findByText(/lista no tiene \(updatedDateTo=2026-02-30\)\./)).toBeVisible();
  expect(address()).toBe("/content/categories?updatedDateFrom=2026-02-28");
});

test("a row that no longer matches the filter is marked, and deactivating it can be undone", async () => {
  const { user } = renderPage("/content/categories?active=true");
  const control = await screen.findByRole("switch", { name: "«Acción» activo" });
  await user.click(control);
  expect(await screen.findByText("Ya no cumple el filtro")).toBeVisible();
  expect(await screen.findByText("Se desactivó «Acción»")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Deshacer" }));
  await waitFor(() => expect(control).toBeChecked());
  await waitFor(() => expect(backend.tables.categories?.[0]?.active).toBe(true));
  expect(screen.queryByText("Ya no cumple el filtro")).not.toBeInTheDocument();
});

test("a toast of something created leads to it", async () => {
  const { user, address } = renderPage("/content/categories/create");
  await user.type(await screen.findByLabelText(/^Descripción(?! en)/), "Terror");
  await user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror{Enter}");
  await user.click(await screen.findByRole("link", { name: "Abrir" }));
  await waitFor(() => expect(address()).toBe("/content/categories/4/edit"));
});

test("saving a deleted item suggests creating it again, with the form's values", async () => {
  const { user } = renderPage("/content/categories/2/edit");
  const spanish = await screen.findByLabelText(/^Descripción(?! en)/);
  await user.clear(spanish);
  await user.type(spanish, "De siempre");
  backend.tables.categories = backend.tables.categories?.filter(({ id }) => id !== 2) ?? [];
  await user.keyboard("{Enter}");
  const question = await screen.findByRole("dialog", { name: "Alguien lo ha eliminado" });
  await user.click(within(question).getByRole("button", { name: "Crear de nuevo" }));
  expect(await screen.findByText("Se creó «De siempre»")).toBeVisible();
  expect(sent("POST /api/categories")).toHaveLength(1);
  expect(backend.tables.categories?.at(-1)?.description).toBe("De siempre");
});

test("a compressed guide that is not marked as such is a warning", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVGUIDE_READ", "TVGUIDE_CREATE"] };
  backend.tables["tv-guides"] = [];
  const { user } = renderPage("/content/tv-guide/create");
  await pasteInto(
    user,
    await screen.findByLabelText(/^URL de la guía/),
    "https://epg.example.com/guia.xml.gz",
  );
  const warning = /termina en \.gz, pero la guía no está marcada como comprimida/;
  expect(await screen.findByText(warning)).toBeVisible();
  await user.click(screen.getByRole("switch", { name: /^Comprimida/ }));
  expect(screen.queryByText(warning)).not.toBeInTheDocument();
});

test("an item whose only link is inactive is a warning", async () => {
  const { user } = renderPage("/content/movies/2/edit");
  await user.click(await screen.findByRole("button", { name: /^Desactivar el enlace/ }));
  expect(await screen.findByText("El único enlace está inactivo: no se podrá ver.")).toBeVisible();
});

test("Enter in the palette opens the first thing that the server found", async () => {
  backend.user = { ...sampleCurrentUser };
  const { user, address } = renderPage("/");
  await user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  await user.type(
    await screen.findByPlaceholderText("Ir a una página o buscar un título o un usuario…"),
    "dun",
  );
  await screen.findByRole("button", { name: /Dune/ });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/content/movies/2/edit"));
});

test("the palette finds users, for callers who may read them", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  server.use(
    http.get("/api/users", () =>
      HttpResponse.json({
        content: [sampleUser("rosa_luna")],
        page: 0,
        size: 5,
        totalPages: 1,
        totalElements: 1,
      }),
    ),
  );
  const { user, address } = renderPage("/content/movies");
  await user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  await user.type(
    await screen.findByPlaceholderText("Ir a una página o buscar un título o un usuario…"),
    "rosa_l",
  );
  await screen.findByRole("button", { name: /Persona rosa_luna/ });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/users/rosa_luna"));
});

test("Enter in the palette never opens a result of the former search", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const content = [sampleUser("rosa_luna"), sampleUser("rosa_sol")];
  server.use(
    http.get("/api/users", ({ request }) =>
      new URL(request.url).searchParams.get("search") === "persona"
        ? HttpResponse.json({ content, page: 0, size: 5, totalPages: 1, totalElements: 2 })
        : new Promise<never>(() => {}),
    ),
  );
  const { user, address } = renderPage("/content/movies");
  await user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  const search = await screen.findByPlaceholderText("Ir a una página o buscar un título o un usuario…");
  await user.type(search, "persona");
  await screen.findByRole("button", { name: /Persona rosa_luna/ });
  await user.type(search, " rosa_s{Enter}");
  await waitFor(() => expect(address()).toBe("/users/rosa_sol"));
});

test("Enter before the results are there opens the first of them", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const requested = vi.fn();
  server.use(
    http.get("/api/users", async () => {
      requested();
      await answered;
      const content = [sampleUser("rosa_sol")];
      return HttpResponse.json({ content, page: 0, size: 5, totalPages: 1, totalElements: 1 });
    }),
  );
  const { user, address } = renderPage("/content/movies");
  await user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  const search = await screen.findByPlaceholderText("Ir a una página o buscar un título o un usuario…");
  await user.type(search, "persona rosa{Enter}");
  await waitFor(() => expect(requested).toHaveBeenCalled());
  expect(address()).toBe("/content/movies");
  answer();
  await waitFor(() => expect(address()).toBe("/users/rosa_sol"));
});

test("a show says how many of its episodes there are", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  backend.tables["tv-shows"] = [{ ...sampleShow(), id: 1, totalEpisodes: 62, episodesStored: 7 }];
  renderPage("/content/tv-shows");
  expect(await screen.findByRole("link", { name: /^7 de 62/ })).toHaveAttribute(
    "href",
    "/content/tv-shows/1/episodes",
  );
});
