// What holds for every kind of content, and what only some do: lists, toggles, deletes, forms.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend, problem } from "../../testing/backend";
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
