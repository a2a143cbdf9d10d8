// Drafts after a crash: suggested once, restored, and deleted with their item.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { describe, expect, test } from "vitest";
import { reloadKeepingDrafts } from "../loading/reload";
import { backend, problem } from "../testing/backend";
import { losePage } from "../testing/leaving";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";
import { keepDraft, keptDraft } from "./keptDraft";
import { localDraft, storeLocalDraft } from "./localDraft";

const path = "/content/categories/1/edit";
const spanish = () => screen.findByLabelText(/^Descripción(?! en)/);
const draftNotice = () => screen.findByText(/^Tenías cambios sin guardar/);
const stored = (address = path) => localDraft("ana", address);

/** Writes in a form, and loses the page without a word to it. */
async function crashAfter(text: string, address = path) {
  const { user } = renderPage(address);
  const field = await spanish();
  await user.clear(field);
  await user.type(field, text);
  await waitFor(() => expect(stored(address)?.values.description).toBe(text));
  losePage();
}

test("a draft survives a crash, is restored, and is deleted once it is saved", async () => {
  await crashAfter("A medias");
  const { user, address } = renderPage(path);
  await draftNotice();
  expect(await spanish()).not.toHaveValue("A medias");
  await user.click(screen.getByRole("button", { name: "Recuperar" }));
  expect(await spanish()).toHaveValue("A medias");
  expect(screen.queryByText(/^Tenías cambios/)).not.toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  await waitFor(() => expect(address()).toBe("/content/categories"));
  expect(backend.tables.categories?.[0]).toMatchObject({ description: "A medias" });
  expect(stored()).toBeUndefined();
});

test("an earlier draft stays stored after a character is typed and deleted", async () => {
  await crashAfter("A medias");
  const { user } = renderPage(path);
  await draftNotice();
  const field = await spanish();
  await user.type(field, "x");
  await waitFor(() => expect(stored()?.values.description).toMatch(/x$/));
  await user.type(field, "{Backspace}");
  await waitFor(() => expect(stored()?.values.description).toBe("A medias"));
  await user.click(screen.getByRole("button", { name: "Recuperar" }));
  expect(await spanish()).toHaveValue("A medias");
});

test("a draft replaces what was typed since only after a question", async () => {
  await crashAfter("A medias");
  const { user } = renderPage(path);
  await draftNotice();
  const field = await spanish();
  await user.clear(field);
  await user.type(field, "Otra");
  const answer = async (name: string) => {
    await user.click(screen.getByRole("button", { name: "Recuperar" }));
    const question = await screen.findByRole("dialog", { name: "¿Sustituir lo que has escrito?" });
    expect(question).toHaveTextContent("Descripción");
    await user.click(within(question).getByRole("button", { name }));
    await waitFor(() => expect(question).not.toBeInTheDocument());
  };
  await answer("Cancelar");
  expect(field).toHaveValue("Otra");
  await answer("Recuperar");
  expect(field).toHaveValue("A medias");
});

test("saving the form deletes an earlier draft", async () => {
  await crashAfter("A medias");
  const { user, address } = renderPage(path);
  await draftNotice();
  const field = await spanish();
  await user.clear(field);
  await user.type(field, "Otra");
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  await waitFor(() => expect(address()).toBe("/content/categories"));
  expect(stored()).toBeUndefined();
});

test("a draft that is discarded does not come back", async () => {
  await crashAfter("A medias");
  const { user } = renderPage(path);
  await draftNotice();
  await user.click(screen.getByRole("button", { name: "Descartar" }));
  expect(stored()).toBeUndefined();
  expect(await spanish()).not.toHaveValue("A medias");
});

describe("a draft that is neither restored nor discarded", () => {
  test("is gone once its form was left", async () => {
    await crashAfter("A medias");
    const { user, address } = renderPage(path);
    await draftNotice();
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    await waitFor(() => expect(stored()).toBeUndefined());
    cleanup();
    renderPage(path);
    expect(await spanish()).not.toHaveValue("A medias");
    expect(screen.queryByText(/^Tenías cambios/)).not.toBeInTheDocument();
  });

  test("is proposed again after a crash or a reload of its page", async () => {
    await crashAfter("A medias");
    renderPage(path);
    await draftNotice();
    window.dispatchEvent(new Event("pagehide"));
    losePage();
    renderPage(path);
    expect(await draftNotice()).toBeVisible();
  });

  test("is proposed again to the user whose session had ended", async () => {
    await crashAfter("A medias");
    server.use(
      http.put("/api/categories/1", () => problem(401, { code: "NOT_AUTHENTICATED", message: "Entra." })),
    );
    const { user } = renderPage(path);
    await draftNotice();
    const field = await spanish();
    await user.type(field, "x");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await screen.findByRole("dialog", { name: "Iniciar sesión" });
    await user.type(field, "{Backspace}");
    await user.click(screen.getByRole("button", { name: "Salir a la pantalla de inicio de sesión" }));
    await screen.findByLabelText("Usuario");
    expect(stored()?.values.description).toBe("A medias");
  });
});

test("a draft of an older version does not undo what was saved meanwhile", async () => {
  await crashAfter("La mía");
  Object.assign(backend.tables.categories?.[0] ?? {}, {
    version: 4,
    description: "La suya",
    englishDescription: "Theirs",
  });
  const { user } = renderPage(path);
  await draftNotice();
  await user.click(screen.getByRole("button", { name: "Recuperar" }));
  await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
  expect(await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" })).toBeVisible();
  expect(backend.tables.categories?.[0]).toMatchObject({ description: "La suya" });
});

describe("a draft of an older version that was restored", () => {
  const theirs = { version: 4, englishDescription: "Theirs" };

  async function restoreOlder() {
    await crashAfter("La mía");
    Object.assign(backend.tables.categories?.[0] ?? {}, theirs);
    const { user } = renderPage(path);
    await draftNotice();
    await user.click(screen.getByRole("button", { name: "Recuperar" }));
  }

  async function expectBothSaved({ user, address }: ReturnType<typeof renderPage>) {
    await user.click(await screen.findByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.[0]).toMatchObject({
      description: "La mía",
      englishDescription: "Theirs",
    });
  }

  test("and lost again undoes nothing of the newer one", async () => {
    await restoreOlder();
    const { keptAt } = stored() ?? {};
    await waitFor(() => expect(stored()?.keptAt).not.toBe(keptAt));
    losePage();
    const page = renderPage(path);
    await draftNotice();
    await page.user.click(screen.getByRole("button", { name: "Recuperar" }));
    await expectBothSaved(page);
  });

  test("and kept for a reload undoes nothing of the newer one", async () => {
    await restoreOlder();
    reloadKeepingDrafts();
    losePage();
    const page = renderPage(path);
    await screen.findByDisplayValue("La mía");
    await expectBothSaved(page);
  });
});

describe("a copy", () => {
  async function duplicate(id = 1) {
    const page = renderPage(`/content/categories/${id}/edit`);
    await page.user.click(await screen.findByRole("button", { name: "Duplicar" }));
    await screen.findByRole("heading", { name: "Crear categoría" });
    return page;
  }
  const drafts = () => Object.keys(localStorage).filter((key) => key.includes(" draft "));
  const reload = ({ router }: ReturnType<typeof renderPage>) =>
    renderPage("", { initialEntries: [router.state.location] });

  test("has its draft proposed after a crash, until it is saved", async () => {
    const page = await duplicate();
    await page.user.type(await spanish(), " dos");
    await waitFor(() => expect(drafts()).toHaveLength(1));
    losePage();
    const { user, address } = reload(page);
    await draftNotice();
    expect(await spanish()).toHaveValue("Acción");
    await user.click(screen.getByRole("button", { name: "Recuperar" }));
    expect(await spanish()).toHaveValue("Acción dos");
    await user.click(screen.getByRole("button", { name: "Crear categoría" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(backend.tables.categories?.at(-1)).toMatchObject({ description: "Acción dos" });
    expect(drafts()).toEqual([]);
  });

  test("that is saved without its draft deletes it", async () => {
    const page = await duplicate();
    await page.user.type(await spanish(), " dos");
    await waitFor(() => expect(drafts()).toHaveLength(1));
    losePage();
    const { user, address } = reload(page);
    await draftNotice();
    await user.click(screen.getByRole("button", { name: "Crear categoría" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(drafts()).toEqual([]);
  });

  test("of another item does not show that draft, nor does the empty form", async () => {
    const page = await duplicate();
    await page.user.type(await spanish(), " dos");
    await waitFor(() => expect(drafts()).toHaveLength(1));
    losePage();
    await duplicate(2);
    expect(await spanish()).toHaveValue("Clásicos");
    expect(screen.queryByText(/^Tenías cambios/)).not.toBeInTheDocument();
    losePage();
    renderPage("/content/categories/create");
    expect(await spanish()).toHaveValue("");
    expect(screen.queryByText(/^Tenías cambios/)).not.toBeInTheDocument();
  });

  test("without changes leaves no draft", async () => {
    await duplicate();
    cleanup();
    expect(drafts()).toEqual([]);
  });

  test("whose draft is proposed keeps it after another crash", async () => {
    const page = await duplicate();
    await page.user.type(await spanish(), " dos");
    await waitFor(() => expect(drafts()).toHaveLength(1));
    losePage();
    const { user } = reload(page);
    await draftNotice();
    await user.type(await spanish(), "x{Backspace}");
    losePage();
    const again = reload(page);
    await draftNotice();
    await again.user.click(screen.getByRole("button", { name: "Recuperar" }));
    expect(await spanish()).toHaveValue("Acción dos");
  });

  test("that was sent before a crash is sent again under the same key", async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post("/api/categories", ({ request }) => {
        keys.push(request.headers.get("idempotency-key"));
        return keys.length === 1 ? Response.error() : undefined;
      }),
    );
    const page = await duplicate();
    await page.user.click(screen.getByRole("button", { name: "Crear categoría" }));
    await screen.findByText("No se pudo guardar");
    losePage();
    const { user, address } = reload(page);
    await draftNotice();
    await user.click(screen.getByRole("button", { name: "Recuperar" }));
    await user.click(screen.getByRole("button", { name: "Crear categoría" }));
    await waitFor(() => expect(address()).toBe("/content/categories"));
    expect(keys[1]).toBe(keys[0]);
  });
});

test("leaving without saving on purpose leaves no draft", async () => {
  const { user, address } = renderPage(path);
  await user.type(await spanish(), " más");
  await waitFor(() => expect(stored()).toBeDefined());
  await user.click(screen.getByRole("button", { name: "Cancelar" }));
  await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(address()).toBe("/content/categories"));
  expect(stored()).toBeUndefined();
});

test("signing out deletes the drafts of that user, and of no other user", async () => {
  storeLocalDraft("eva", path, { values: { description: "De Eva" } });
  await crashAfter("A medias");
  const { user } = renderPage("/content/categories");
  await user.click(await screen.findByRole("button", { name: "Menú de ana" }));
  await user.click(await screen.findByRole("menuitem", { name: "Cerrar Sesión" }));
  await screen.findByLabelText("Usuario");
  expect(stored()).toBeUndefined();
  expect(localDraft("eva", path)).toBeDefined();
});

test("signing out deletes what an expired session left in the tab, and nothing of another user", async () => {
  const keptOf = (username: string) => keptDraft(username, path);
  for (const username of ["ana", "ana.b"]) keepDraft(username, path, { values: { description: "A medias" } });
  const { user } = renderPage("/content/categories");
  await user.click(await screen.findByRole("button", { name: "Menú de ana" }));
  await user.click(await screen.findByRole("menuitem", { name: "Cerrar Sesión" }));
  await screen.findByLabelText("Usuario");
  expect(keptOf("ana")).toBeUndefined();
  expect(keptOf("ana.b")).toBeDefined();
});

test("something new that was sent before the crash is sent again under the same key", async () => {
  const keys: (string | null)[] = [];
  let isLost = true;
  server.use(
    http.post("/api/categories", ({ request }) => {
      keys.push(request.headers.get("idempotency-key"));
      return isLost ? Response.error() : undefined;
    }),
  );
  const create = "/content/categories/create";
  const first = renderPage(create);
  await first.user.type(await spanish(), "Terror");
  await first.user.type(screen.getByLabelText(/^Descripción en inglés/), "Horror");
  await first.user.click(screen.getByRole("button", { name: "Crear categoría" }));
  await waitFor(() => expect(keys).toHaveLength(1));
  await screen.findByText("No se pudo guardar");
  cleanup();
  isLost = false;
  const { user, address } = renderPage(create);
  await draftNotice();
  await user.click(screen.getByRole("button", { name: "Recuperar" }));
  await user.click(screen.getByRole("button", { name: "Crear categoría" }));
  await waitFor(() => expect(address()).toBe("/content/categories"));
  expect(keys[1]).toBe(keys[0]);
});

test("passwords are never stored", async () => {
  backend.user = { username: "ana", roleCode: "admin", roleName: "Administrador", permissions: [] };
  const { user } = renderPage("/users/create");
  await user.type(await screen.findByLabelText(/Nombre completo/), "Eva Ruiz");
  await user.type(
    document.querySelector<HTMLInputElement>('[name="password"]') as HTMLInputElement,
    "Secreta-123",
  );
  await waitFor(() => expect(stored("/users/create")?.values.fullName).toBe("Eva Ruiz"));
  expect(JSON.stringify({ ...localStorage })).not.toContain("Secreta-123");
});

test("what is too large is not stored, and only the latest twenty are", () => {
  for (let number = 0; number < 25; number += 1) storeLocalDraft("ana", `/${number}`, { values: {} });
  expect(Object.keys(localStorage).filter((key) => key.startsWith("cartelera.of.ana draft "))).toHaveLength(
    20,
  );
  storeLocalDraft("ana", path, { values: { description: "corto" } });
  storeLocalDraft("ana", path, { values: { description: "x".repeat(300_000) } });
  expect(stored()).toBeUndefined();
});
