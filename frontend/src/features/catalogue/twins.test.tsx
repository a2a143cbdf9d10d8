// Existing values are reported while typing, references before a deletion, and a failed look-up with what to do.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { server } from "../../testing/server";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  backend.user = { ...sampleCurrentUser, roleCode: "admin", permissions: [] };
});

const item = { version: 1, views: 0, active: true, createdDate: "2026-01-15T09:30:00Z", updatedBy: null };

describe("a twin is named, with a link to it", () => {
  test.each([
    {
      what: "IMDb id of a film",
      form: "/content/movies/2/edit",
      put: {
        movies: [
          { ...item, id: 2, title: "Dune", genres: [], links: [] },
          { ...item, id: 9, title: "Otra", imdbId: "tt0133093" },
        ],
      },
      field: /IMDb|IMDB/,
      typed: "tt0133093",
      said: "Ya lo tiene «Otra».",
      to: "/content/movies/9/edit",
    },
    {
      what: "code of a radio station",
      form: "/content/radio-stations/create",
      put: { "radio-stations": [{ ...item, id: 4, stationName: "Onda", code: "R-1", genres: [] }] },
      field: /^Código/,
      typed: "R-1",
      said: "Este código ya lo usa «Onda».",
      to: "/content/radio-stations/4/edit",
    },
    {
      what: "address of a radio station",
      form: "/content/radio-stations/create",
      put: {
        "radio-stations": [
          {
            ...item,
            id: 4,
            stationName: "Onda",
            code: "R-1",
            genres: [],
            streamUrl: "https://e.example.com/4",
          },
        ],
      },
      field: /^URL de la transmisión/,
      typed: "https://e.example.com/4",
      said: "Esta dirección ya la usa «Onda».",
      to: "/content/radio-stations/4/edit",
    },
    {
      what: "name of a category of the same type",
      form: "/content/categories/create",
      put: {},
      field: /^Descripción(?! en)/,
      typed: "accion",
      said: "Ya hay una categoría de este tipo que se llama «Acción».",
      to: "/content/categories/1/edit",
    },
    {
      what: "address of a channel",
      form: "/content/tv-channels/create",
      put: {
        "tv-channels": [
          {
            ...item,
            id: 5,
            title: "Canal 5",
            categories: [],
            urlType: "EXTERNAL",
            url: "https://e.example.com/5",
          },
        ],
      },
      field: /^URL de la señal/,
      typed: "https://e.example.com/5",
      said: "Esta dirección ya la usa «Canal 5».",
      to: "/content/tv-channels/5/edit",
    },
  ])("$what", async ({ form, put, field, typed, said, to }) => {
    Object.assign(backend.tables, put);
    const { user } = renderPage(form);
    const input = await screen.findByRole("textbox", { name: field });
    await user.clear(input);
    await user.type(input, typed);
    const warning = await waitFor(() => {
      const found = screen.getAllByRole("status").find((one) => one.textContent === said);
      if (!found) throw new Error("no warning");
      return found;
    });
    expect(within(warning).getByRole("link")).toHaveAttribute("href", to);
    expect(within(warning).getByRole("link")).toHaveAttribute("target", "_blank");
    await user.type(input, "x");
    await waitFor(() => expect(screen.queryByText(said.slice(-8))).not.toBeInTheDocument());
    expect(screen.getAllByRole("status").map((one) => one.textContent)).not.toContain(said);
  });

  test("a category of another type may have the same name", async () => {
    const { user } = renderPage("/content/categories/create");
    await user.type(await screen.findByRole("textbox", { name: /^Descripción(?! en)/ }), "Fútbol");
    await waitFor(() =>
      expect(backend.requests.some((one) => one.includes("type=MOVIE") && one.includes("Fútbol"))).toBe(true),
    );
    expect(screen.queryByText(/Ya hay una categoría/)).not.toBeInTheDocument();
  });
});

describe("the address of a link that another film has", () => {
  const said = "Esta dirección ya la usa «Otra».";
  const addLink = async () => {
    server.use(
      http.get("/api/movies", ({ request }) => {
        const url = new URL(request.url).searchParams.get("linkUrl");
        const content = url === "https://e.example.com/9" ? [{ ...item, id: 9, title: "Otra" }] : [];
        return HttpResponse.json({
          content,
          page: 0,
          size: 10,
          totalPages: 1,
          totalElements: content.length,
        });
      }),
    );
    backend.tables.movies = [{ ...item, id: 2, title: "Dune", genres: [], links: [] }];
    const { user } = renderPage("/content/movies/2/edit");
    await user.click(await screen.findByRole("button", { name: "Añadir enlace" }));
    const dialog = within(await screen.findByRole("dialog"));
    return { user, dialog, url: await dialog.findByRole("textbox", { name: /^URL/ }) };
  };

  test("is named while it is typed", async () => {
    const { user, dialog, url } = await addLink();
    await user.type(url, "https://e.example.com/9");
    expect(await dialog.findByText("Otra")).toHaveAttribute("href", "/content/movies/9/edit");
    expect(dialog.getByText("Otra").closest("output")).toHaveTextContent(said);
    await user.type(url, "9");
    await waitFor(() => expect(dialog.queryByText("Otra")).not.toBeInTheDocument());
  });

  test("is named in each line of several pasted ones", async () => {
    const { user, dialog, url } = await addLink();
    await user.click(url);
    await user.paste("https://e.example.com/8\nhttps://e.example.com/9");
    const lines = await dialog.findAllByRole("listitem");
    expect(await within(lines[1] as HTMLElement).findByText("Otra")).toBeVisible();
    expect(within(lines[0] as HTMLElement).queryByText("Otra")).not.toBeInTheDocument();
  });
});

/** An operation that moved twelve films. */
const operation = (id: number) => ({
  id,
  resource: "movies",
  state: "FINISHED",
  undoOf: null,
  total: 12,
  done: 12,
  counts: { changed: 12, unchanged: 0, refused: 0, conflicts: 0, missing: 0, created: 0 },
});

describe("a category in use", () => {
  const requests = () =>
    server.use(
      http.get("/api/categories/:id/usage", ({ params }) =>
        HttpResponse.json(
          params.id === "1" ? { total: 12, kinds: [{ kind: "movies", count: 12 }] } : { total: 0, kinds: [] },
        ),
      ),
    );

  test("shows its uses, moves them to another of its type, and is deleted", async () => {
    requests();
    const moved: unknown[] = [];
    server.use(
      http.post("/api/categories/:id/move", async ({ request, params }) => {
        moved.push([params.id, await request.json()]);
        return HttpResponse.json({ operations: [operation(5)], sources: 0, profiles: 0 }, { status: 202 });
      }),
      http.get("/api/operations/:id", ({ params }) => HttpResponse.json(operation(Number(params.id)))),
      http.post("/api/operations/:id/undo", ({ params }) => {
        moved.push(["undo", params.id]);
        return HttpResponse.json({ ...operation(6), undoOf: 5 }, { status: 202 });
      }),
      http.post("/api/categories/:id/restore", ({ params }) => {
        moved.push(["restore", params.id]);
        return HttpResponse.json({ id: 1, version: 3 });
      }),
    );
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "«Acción» está en uso" }));
    expect(dialog.getByRole("link", { name: "Películas" })).toHaveAttribute(
      "href",
      "/content/movies?categoryId=1",
    );
    expect(dialog.getByRole("list")).toHaveTextContent("Películas12");
    const go = dialog.getByRole("button", { name: "Mover y eliminar" });
    expect(go).toBeDisabled();
    const to = dialog.getByRole("combobox", { name: "Moverlo todo a…" });
    await user.click(to);
    const choices = within(await screen.findByRole("listbox", { name: "Moverlo todo a…" }));
    expect(choices.getAllByRole("option").map((one) => one.textContent)).toEqual(["Clásicos"]);
    await user.click(screen.getByRole("option", { name: "Clásicos" }));
    await user.click(go);
    expect(await screen.findByText("12 elementos pasaron a «Clásicos»")).toBeVisible();
    expect(await screen.findByText("Se eliminó «Acción»")).toBeVisible();
    expect(moved).toEqual([["1", { to: 2 }]]);
    expect(backend.tables.categories?.map(({ id }) => id)).toEqual([2, 3]);
    // One click undoes both: first the category is there again, then all is moved back to it.
    await user.click(screen.getByRole("button", { name: "Deshacer" }));
    expect(await screen.findByText("12 elementos pasaron a «Acción»")).toBeVisible();
    expect(moved.slice(1)).toEqual([
      ["restore", "1"],
      ["undo", "5"],
    ]);
  });

  test("of channels says that playlists and profiles are not changed back, before and after", async () => {
    const of = backend.tables.categories?.map((one) => ({ ...one, type: "TV_CHANNEL" }));
    backend.tables.categories = of ?? [];
    requests();
    server.use(
      http.post("/api/categories/:id/move", () =>
        HttpResponse.json({ operations: [], sources: 0, profiles: 2 }, { status: 202 }),
      ),
      http.post("/api/categories/:id/restore", () => HttpResponse.json({ id: 1, version: 3 })),
    );
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "«Acción» está en uso" }));
    expect(dialog.getByText(/también cambian, y no vuelven al deshacer\.$/)).toBeVisible();
    await user.click(dialog.getByRole("combobox"));
    await user.click(await screen.findByRole("option", { name: "Clásicos" }));
    await user.click(dialog.getByRole("button", { name: "Mover y eliminar" }));
    expect(await screen.findByText("2 elementos pasaron a «Clásicos»")).toBeVisible();
    await user.click(await screen.findByRole("button", { name: "Deshacer" }));
    expect(await screen.findByText("Lo que se cambió ahí sigue usando «Clásicos».")).toBeVisible();
    expect(screen.getByText("Listas M3U y perfiles de TV en directo")).toBeVisible();
  });

  test("is not deleted while some of what uses it was not moved", async () => {
    requests();
    const counts = { changed: 11, unchanged: 0, refused: 0, conflicts: 1, missing: 0, created: 0 };
    const ended = { ...operation(5), counts };
    server.use(
      http.post("/api/categories/:id/move", () =>
        HttpResponse.json({ operations: [ended], sources: 0, profiles: 0 }, { status: 202 }),
      ),
      http.get("/api/operations/5", () => HttpResponse.json(ended)),
    );
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "«Acción» está en uso" }));
    await user.click(dialog.getByRole("combobox"));
    await user.click(await screen.findByRole("option", { name: "Clásicos" }));
    await user.click(dialog.getByRole("button", { name: "Mover y eliminar" }));
    expect(await dialog.findByText(/1 elemento no se movió\. No se ha eliminado nada\./)).toBeVisible();
    expect(dialog.getByRole("link", { name: "Ver por qué" })).toHaveAttribute(
      "href",
      "/operations?operation=5",
    );
    expect(backend.tables.categories).toHaveLength(3);
  });

  test("is not deleted when it could not be moved", async () => {
    requests();
    server.use(http.post("/api/categories/:id/move", () => problem(403, { message: "Hoy no." })));
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "«Acción» está en uso" }));
    await user.click(dialog.getByRole("combobox"));
    await user.click(await screen.findByRole("option", { name: "Clásicos" }));
    await user.click(dialog.getByRole("button", { name: "Mover y eliminar" }));
    expect(await dialog.findByText("Hoy no.")).toBeVisible();
    expect(backend.tables.categories).toHaveLength(3);
  });

  test("links to the playlists that use it, and moves them too", async () => {
    server.use(
      http.get("/api/categories/:id/usage", () =>
        HttpResponse.json({ total: 1, kinds: [{ kind: "playlist-sources", count: 1 }] }),
      ),
    );
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Acción»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "«Acción» está en uso" }));
    expect(dialog.getByRole("link", { name: "Listas M3U" })).toHaveAttribute("href", "/content/playlists");
    expect(dialog.getByRole("button", { name: "Mover y eliminar" })).toBeVisible();
  });

  test("one that nothing uses is deleted after the usual question", async () => {
    requests();
    const { user } = renderPage("/content/categories");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Clásicos»" }));
    expect(await screen.findByRole("dialog")).toHaveTextContent("Se eliminará «Clásicos»");
  });
});

describe("a look-up that failed", () => {
  const answers = (status: number, body: object, headers: Record<string, string> = {}) =>
    server.use(
      http.get("/api/lookup/titles/:id", ({ request }) =>
        new URL(request.url).searchParams.get("as") === "movie"
          ? HttpResponse.json({ status, title: "", ...body }, { status, headers })
          : HttpResponse.json({ draft: { title: "Breaking Bad", imdbId: "tt0903747" }, unmatchedGenres: [] }),
      ),
    );
  const look = async () => {
    const page = renderPage("/content/movies/create");
    await page.user.type(await screen.findByRole("textbox", { name: /^ID de/ }), "tt0903747{Enter}");
    return page;
  };

  test("says when to try again", async () => {
    answers(429, { code: "TOO_MANY_REQUESTS", message: "Demasiados." }, { "retry-after": "40" });
    await look();
    expect(await screen.findByText(/Vuelve a intentarlo en 40 segundos\./)).toBeVisible();
    expect(screen.getByRole("button", { name: "Reintentar" })).toBeVisible();
  });

  test("does not block filling in the form manually", async () => {
    let answer = () => {};
    const waits = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.use(
      http.get("/api/lookup/titles/:id", async () => {
        await waits;
        return HttpResponse.json({ draft: { title: "Otra", imdbId: "tt0903747" }, unmatchedGenres: [] });
      }),
    );
    const { user } = await look();
    await user.click(screen.getByRole("button", { name: "Llenar formulario manualmente" }));
    const title = await screen.findByRole("textbox", { name: /^Título/ });
    await user.type(title, "La mía");
    const answered = new Promise((resolve) => server.events.on("response:mocked", resolve));
    answer();
    await answered;
    await user.type(title, " de verdad");
    expect(title).toHaveValue("La mía de verdad");
  });

  test("suggests the right kind if the id is a series, and looks it up there", async () => {
    const kinds: (string | null)[] = [];
    server.events.on("request:start", ({ request }) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname.startsWith("/api/lookup/titles/")) kinds.push(searchParams.get("as"));
    });
    answers(422, { code: "WRONG_TITLE_TYPE", message: "No es una película." });
    const { user, address } = await look();
    expect(await screen.findByText("No es una película.")).toBeVisible();
    await user.click(screen.getByRole("link", { name: "Buscarlo como serie" }));
    expect(await screen.findByDisplayValue("Breaking Bad")).toBeVisible();
    expect(address()).toBe("/content/tv-shows/create?imdb=tt0903747");
    // Once: another search has the form as it is, and an empty field.
    const title = screen.getByRole("textbox", { name: /^Título/ });
    await user.clear(title);
    await user.type(title, "La química");
    await user.click(screen.getByRole("button", { name: "Buscar por IMDB" }));
    const lookup = await screen.findByRole("region", { name: "Buscar la serie en IMDB" });
    expect(within(lookup).getByRole("textbox")).toHaveValue("");
    expect(title).toHaveValue("La química");
    expect(kinds).toEqual(["movie", "tv-show"]);
  });
});

test("a look-up lists filled and missing fields, until these are filled", async () => {
  const { user } = renderPage("/content/movies/create");
  await user.type(await screen.findByRole("textbox", { name: /^ID de/ }), "tt0133093{Enter}");
  expect(await screen.findByText(/^IMDB rellenó: Título, .*Año/)).toBeVisible();
  const missing = screen.getByText(/^Falta: /);
  expect(missing).toHaveTextContent(/Sinopsis en español/);
  expect(missing).toHaveTextContent(/Categoría/);
  await user.type(screen.getByRole("textbox", { name: /^Sinopsis en español/ }), "Neo despierta.");
  expect(missing).not.toHaveTextContent(/Sinopsis en español/);
});

test("a second look-up replaces what the first one filled in, except what was changed since", async () => {
  const { user } = renderPage("/content/movies/create");
  const lookUp = async (draft: object) => {
    server.use(http.get("/api/lookup/titles/:id", () => HttpResponse.json({ draft, unmatchedGenres: [] })));
    const lookup = await screen.findByRole("region", { name: "Buscar la película en IMDB" });
    await user.type(within(lookup).getByRole("textbox"), "tt0133093{Enter}");
    await waitFor(() => expect(lookup).not.toBeInTheDocument());
  };
  await lookUp({ title: "La primera", rating: 8.1, durationMinutes: 90, genres: ["ACTION"] });
  const minutes = await screen.findByRole("textbox", { name: /^Duración/ });
  await user.clear(minutes);
  await user.type(minutes, "95");
  await user.click(screen.getByRole("button", { name: "Buscar por IMDB" }));
  await lookUp({ title: "La segunda", genres: [] });
  expect(screen.getByRole("textbox", { name: /^Título/ })).toHaveValue("La segunda");
  expect(screen.getByRole("textbox", { name: /^Puntuación/ })).toHaveValue("");
  expect(minutes).toHaveValue("95");
});

test("a film that is called by a number is searched by its title", async () => {
  const { user } = renderPage("/content/movies/create");
  await user.type(await screen.findByRole("textbox", { name: "ID de IMDB" }), "1917{Enter}");
  expect(await screen.findByRole("list", { name: "Películas encontradas" })).toBeVisible();
  expect(backend.requests.filter((one) => one.includes("/lookup/"))).toEqual([
    "GET /api/lookup/search?title=1917",
  ]);
});
