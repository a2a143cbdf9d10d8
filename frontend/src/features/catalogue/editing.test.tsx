// Forms of the catalogue while they are edited: errors, last change, next item.
import { act, screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(() => {
  sessionStorage.clear();
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

async function open(address: string) {
  const page = renderPage(address);
  await screen.findByRole("textbox", { name: /^Título/ });
  return page;
}

describe("save and next", () => {
  test("saves and opens the rows in the order of the list, across its pages", async () => {
    const { user, address } = renderPage("/content/movies?page=2&size=2&sort=title");
    await user.click(await screen.findByRole("link", { name: "Película 3" }));
    for (const [title, next] of [
      ["Película 3", "Película 4"],
      ["Película 4", "Película 5"],
    ] as const) {
      const input = await screen.findByDisplayValue(title);
      await user.type(input, " bis");
      await user.click(await screen.findByRole("button", { name: "Guardar y siguiente" }));
      await screen.findByDisplayValue(next);
    }
    expect(backend.tables.movies?.map((movie) => movie.title).slice(2, 5)).toEqual([
      "Película 3 bis",
      "Película 4 bis",
      "Película 5",
    ]);
    await user.click(screen.getByRole("link", { name: "Volver a Películas" }));
    await waitFor(() => expect(address()).toBe("/content/movies?page=2&size=2&sort=title"));
  });

  test("a row that no longer matches the filter after saving does not change the next row", async () => {
    const { user } = renderPage("/content/movies?search=película&size=2&year=1993");
    await screen.findByRole("link", { name: "Película 3" });
    // Nothing but films of 1993: 3, 33, 63.
    await user.click(screen.getByRole("link", { name: "Película 3" }));
    const year = await screen.findByDisplayValue("1993");
    await user.clear(year);
    await user.type(year, "1990");
    await user.click(await screen.findByRole("button", { name: "Guardar y siguiente" }));
    expect(await screen.findByDisplayValue("Película 33")).toBeVisible();
  });

  test("continues to the end of the list, over all pages", async () => {
    const { user } = renderPage("/content/movies?search=película 5&size=2&sort=title");
    await user.click(await screen.findByRole("link", { name: "Película 5" }));
    for (const number of [5, 50, 51, 52, 53]) {
      await screen.findByDisplayValue(`Película ${number}`);
      await user.click(await screen.findByRole("button", { name: "Guardar y siguiente" }));
    }
    await screen.findByDisplayValue("Película 54");
  });

  test("passes over nothing where each save takes its row out of the list", async () => {
    const { user } = renderPage("/content/movies?search=película&size=1&year=1993");
    await user.click(await screen.findByRole("link", { name: "Película 3" }));
    for (const number of [3, 33]) {
      await screen.findByDisplayValue(`Película ${number}`);
      const year = await screen.findByDisplayValue("1993");
      await user.clear(year);
      await user.type(year, "1990");
      await user.click(await screen.findByRole("button", { name: "Guardar y siguiente" }));
    }
    expect(await screen.findByDisplayValue("Película 63")).toBeVisible();
  });

  test("is not there for a form that was not opened from the list, nor at its end", async () => {
    const { user } = await open("/content/movies/3/edit");
    expect(screen.queryByRole("button", { name: "Guardar y siguiente" })).not.toBeInTheDocument();
    await user.click(screen.getByRole("link", { name: "Volver a Películas" }));
    await user.type(await screen.findByRole("searchbox"), "Película 65");
    await waitFor(() => expect(screen.queryByRole("link", { name: "Película 3" })).not.toBeInTheDocument());
    await user.click(await screen.findByRole("link", { name: "Película 65" }));
    await screen.findByDisplayValue("Película 65");
    await waitFor(() =>
      expect(backend.requests.filter((request) => /GET \/api\/movies\?.*65/.test(request)).length).toBe(2),
    );
    expect(screen.queryByRole("button", { name: "Guardar y siguiente" })).not.toBeInTheDocument();
  });
});

test("a category that is renamed has its new name in other lists, too", async () => {
  const { user, router } = renderPage("/content/movies");
  expect((await screen.findAllByText(/· Acción/)).length).toBeGreaterThan(0);
  await act(() => router.navigate("/content/categories/1/edit"));
  const name = await screen.findByDisplayValue("Acción");
  await user.clear(name);
  await user.type(name, "Aventura");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  await screen.findByRole("table", { name: "Categorías" });
  await act(() => router.navigate("/content/movies"));
  expect((await screen.findAllByText(/· Aventura/)).length).toBeGreaterThan(0);
  await waitFor(() => expect(screen.queryByText(/· Acción/)).not.toBeInTheDocument());
});

test("the bar counts the errors and leads to the first", async () => {
  const { user } = await open("/content/movies/2/edit");
  const title = screen.getByRole("textbox", { name: /^Título/ });
  await user.clear(title);
  await user.type(screen.getByRole("textbox", { name: /portada/i }), "nada");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  const count = await screen.findByRole("button", { name: "2 errores" });
  await waitFor(() => expect(title).toHaveFocus());
  await user.click(screen.getByRole("textbox", { name: /^Título/ }));
  await user.tab();
  await user.click(count);
  await waitFor(() => expect(title).toHaveFocus());
  await user.type(title, "Dune");
  expect(await screen.findByRole("button", { name: "1 error" })).toBeVisible();
});

test("the bar says who changed it last, and when", async () => {
  Object.assign(backend.tables.movies?.[1] ?? {}, { updatedBy: "eva" });
  await open("/content/movies/2/edit");
  expect(await screen.findByText(/^Último cambio: eva, /)).toBeVisible();
});

test("a conflict names who saved first", async () => {
  const { user } = await open("/content/movies/2/edit");
  const [, stored] = backend.tables.movies ?? [];
  server.use(
    http.put("/api/movies/:id", () =>
      problem(412, {
        code: "VERSION_CONFLICT",
        message: "Otra persona lo cambió.",
        current: { ...stored, version: 2, title: "Dune: parte uno", updatedBy: "eva" },
      }),
    ),
  );
  await user.type(screen.getByRole("textbox", { name: /^Título/ }), " (2021)");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog).toHaveTextContent(/eva guardó cambios mientras editabas \(2 de marzo de 2026/);
  expect(within(dialog).getByRole("radio", { name: "Lo de eva" })).toBeVisible();
});

test("a conflict with oneself is one with another tab", async () => {
  const { user } = await open("/content/movies/2/edit");
  const [, stored] = backend.tables.movies ?? [];
  const theirs = { ...stored, version: 2, title: "Dune: parte uno", year: 1984, updatedBy: "ana" };
  server.use(
    http.put("/api/movies/:id", () =>
      problem(412, { code: "VERSION_CONFLICT", message: "Otra persona lo cambió.", current: theirs }),
    ),
  );
  await user.type(screen.getByRole("textbox", { name: /^Título/ }), " (2021)");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  const dialog = await screen.findByRole("dialog", { name: "Lo cambiaste en otra pestaña" });
  expect(dialog).toHaveTextContent(/^.*Guardaste cambios en otra pestaña o ventana/);
  expect(dialog).toHaveTextContent("También se conserva lo que cambiaste en la otra pestaña: Año.");
  expect(dialog).not.toHaveTextContent(/\bana\b/);
  expect(within(dialog).getByRole("radio", { name: "Lo de esta pestaña" })).toBeVisible();
  expect(within(dialog).getByRole("radio", { name: "Lo de la otra pestaña" })).toBeVisible();
  await act(() => chooseLanguage("en"));
  expect(await screen.findByRole("dialog", { name: "You changed it in another tab" })).toBeVisible();
});

test("of several versions that others saved, the last editor is not said to have made all changes", async () => {
  const { user } = await open("/content/movies/2/edit");
  // Eva saved version 2, and the user version 3 in another tab.
  const theirs = { version: 3, title: "Dune: parte uno", updatedBy: "ana" };
  Object.assign(backend.tables.movies?.[1] ?? {}, theirs);
  await user.type(screen.getByRole("textbox", { name: /^Título/ }), " (2021)");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  const dialog = await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" });
  expect(dialog).toHaveTextContent("Se guardaron varios cambios mientras editabas; el último es tuyo");
  expect(within(dialog).getByRole("radio", { name: "Lo guardado" })).toBeVisible();
});

test("changes of several versions are merged, and not said to be one's own", async () => {
  const { user } = await open("/content/movies/2/edit");
  Object.assign(backend.tables.movies?.[1] ?? {}, { version: 3, year: 1984, updatedBy: "ana" });
  await user.type(screen.getByRole("textbox", { name: /^Título/ }), " (2021)");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  expect(await screen.findByText("Se conservaron también los cambios ya guardados en: Año.")).toBeVisible();
});

test("changes of another tab that overlap with none here are merged, and said to be one's own", async () => {
  const { user } = await open("/content/movies/2/edit");
  Object.assign(backend.tables.movies?.[1] ?? {}, { version: 2, year: 1984, updatedBy: "ana" });
  await user.type(screen.getByRole("textbox", { name: /^Título/ }), " (2021)");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  expect(
    await screen.findByText("Se conservaron también tus cambios de otra pestaña en: Año."),
  ).toBeVisible();
});

test("a conflict shows values by their names, on both sides", async () => {
  const { user } = await open("/content/movies/2/edit");
  const [, stored] = backend.tables.movies ?? [];
  server.use(
    http.put("/api/movies/:id", () =>
      problem(412, {
        code: "VERSION_CONFLICT",
        message: "Otra persona lo cambió.",
        current: { ...stored, version: 2, classification: "R", categoryId: 99, genres: ["SCI_FI"] },
      }),
    ),
  );
  await user.click(screen.getByRole("combobox", { name: /^Categoría/ }));
  await user.click(await screen.findByRole("option", { name: "Clásicos" }));
  await user.click(screen.getByRole("combobox", { name: /^Clasificación/ }));
  await user.click(await screen.findByRole("option", { name: /^G:/ }));
  await user.click(screen.getByRole("combobox", { name: /^Géneros/ }));
  await user.click(await screen.findByRole("option", { name: "Comedia" }));
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" }));
  for (const [field, mine, theirs] of [
    ["Categoría", "Clásicos", "#99"],
    ["Clasificación", "G: todos los públicos", "R: restringida"],
    ["Géneros", /Drama, Ciencia ficción, Comedia/, "Ciencia ficción"],
  ] as const) {
    const sides = within(dialog.getByRole("radiogroup", { name: field }));
    expect(await sides.findByRole("radio", { name: "Lo tuyo", description: mine })).toBeVisible();
    expect(sides.getByRole("radio", { name: "Lo de la otra persona", description: theirs })).toBeVisible();
  }
});

test("a conflict about links shows those that differ", async () => {
  const { user } = await open("/content/movies/2/edit");
  const [, stored] = backend.tables.movies ?? [];
  const links = (stored as { links?: { url: string }[] } | undefined)?.links ?? [];
  const [link] = links;
  if (!link) throw new Error("The film of the samples has links.");
  server.use(
    http.put("/api/movies/:id", () =>
      problem(412, {
        code: "VERSION_CONFLICT",
        message: "Otra persona lo cambió.",
        current: {
          ...stored,
          version: 2,
          links: [{ ...link, url: "https://theirs.example/1.m3u8" }, ...links.slice(1)],
        },
      }),
    ),
  );
  await user.click(screen.getByRole("button", { name: "Añadir enlace" }));
  const adding = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
  await user.click(adding.getByRole("textbox", { name: /^URL/ }));
  await user.paste("https://mine.example/1.m3u8\nhttps://mine.example/2.m3u8");
  await user.click(adding.getByRole("combobox", { name: /^Idiomas de audio/ }));
  await user.click(await screen.findByRole("option", { name: "Español" }));
  await user.click(adding.getByRole("button", { name: "Añadir 2 enlaces" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" }));
  const sides = within(dialog.getByRole("radiogroup", { name: "Enlaces" }));
  expect(sides.getByRole("radio", { name: "Lo tuyo", description: /mine\.example\/1\.m3u8/ })).toBeVisible();
  expect(
    sides.getByRole("radio", { name: "Lo de la otra persona", description: /theirs\.example\/1\.m3u8/ }),
  ).toBeVisible();
});

test("both synopses are side by side, after the links, and each address is below its picture", async () => {
  await open("/content/movies/2/edit");
  const order = screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent);
  expect(order.indexOf("Enlaces")).toBeLessThan(order.indexOf("Sinopsis y reparto"));
  const [spanish, english] = [/^Sinopsis en español/, /^Sinopsis en inglés/].map((name) =>
    screen.getByRole("textbox", { name }).closest(".form-grid > *"),
  );
  expect(spanish).toHaveAttribute("data-span", "6");
  expect(english?.previousElementSibling).toBe(spanish);
});
