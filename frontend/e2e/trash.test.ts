// A film is deleted and restored, an earlier version of it is restored, one whose category is gone gets another, and the
// audit log has all of it.
import { beforeEach, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  blank,
  categoryId,
  clientOf,
  create,
  expectAccessible,
  flowLanguages,
  type Language,
  narrow,
  nightly,
  pagesOfOneBrowser,
  url,
  withoutMovies,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    remove: /^Eliminar .*Film/,
    confirm: "Eliminar",
    undo: "Deshacer",
    restored: "Se restauró «Film»",
    history: "Historial",
    restoreVersion: "Restaurar esta versión",
    save: "Guardar cambios",
    trash: "Papelera",
    restore: "Restaurar Pasajero",
    choose: "Categoría",
    button: "Restaurar",
    done: "Se restauró «Pasajero»",
    audit: "Auditoría",
    deleted: "Eliminado",
  },
  en: {
    remove: /^Delete .*Film/,
    confirm: "Delete",
    undo: "Undo",
    restored: "“Film” was restored",
    history: "History",
    restoreVersion: "Restore this version",
    save: "Save changes",
    trash: "Trash",
    restore: "Restore Pasajero",
    choose: "Category",
    button: "Restore",
    done: "“Pasajero” was restored",
    audit: "Audit log",
    deleted: "Deleted",
  },
} as const;

const film = (title: string, category: number) => ({
  title,
  year: 2000,
  durationMinutes: 90,
  classification: "G",
  categoryId: category,
  links: [{ quality: "HD", url: "https://cdn.example.com/x.m3u8", audioLanguages: ["SPANISH"] }],
});

let id: number;

beforeEach(async () => {
  const client = await clientOf();
  await withoutMovies(client);
  id = (await create(client, "movies", film("Film", await categoryId(client, "Acción")))).id;
});

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("a film is deleted and restored; an earlier version is restored by an edit", async () => {
    const page = await open("/content/movies", { language });
    await page.getByRole("button", { name: w.remove }).click();
    await page.getByRole("dialog").getByRole("button", { name: w.confirm }).click();
    await page.getByRole("button", { name: w.undo }).click();
    await page.getByText(w.restored).waitFor();
    const changed = await page.request.patch(`/api/movies/${id}`, {
      headers: { origin: url },
      data: { title: "Another title", year: 1950 },
    });
    expect(changed.status()).toBe(200);

    await page.goto(`/content/movies/${id}/edit`);
    await page.getByRole("button", { name: w.history }).click();
    await page.getByRole("dialog").locator("ins", { hasText: "Another title" }).waitFor();
    await expectAccessible(page, "the history of a film");
    await page.getByRole("button", { name: w.restoreVersion }).first().click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: w.save }).click();
    await heading(page, language === "es" ? "Películas" : "Movies").waitFor();
    const stored = (await (await page.request.get(`/api/movies/${id}`)).json()) as Record<string, unknown>;
    expect(stored).toMatchObject({ title: "Film", year: 2000, version: 4 });
  });

  test("a film whose category is gone gets another; the audit log has it all", async () => {
    const client = await clientOf();
    const passing = await create(client, "categories", {
      description: "Pasajera",
      englishDescription: "Passing",
      type: "MOVIE",
    });
    const made = await create(client, "movies", film("Pasajero", passing.id));
    for (const path of [`movies/${made.id}`, `categories/${passing.id}`])
      expect((await client.request.delete(`/api/${path}`)).status()).toBe(204);
    const page = await open("/trash", { language });
    await heading(page, w.trash).waitFor();
    await page.getByRole("button", { name: w.restore }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: w.choose }).waitFor();
    await expectAccessible(page, "an item that can't be restored as it was");
    await dialog.getByRole("combobox", { name: w.choose }).click();
    await page.locator("[data-combobox-option]").first().click();
    await dialog.getByRole("button", { name: w.button, exact: true }).click();
    await page.getByText(w.done).waitFor();
    expect((await page.request.get(`/api/movies/${made.id}`)).status()).toBe(200);

    await page.goto("/audit?resource=movies");
    await heading(page, w.audit).waitFor();
    await page.getByRole("cell", { name: w.deleted }).first().waitFor();
    await expectAccessible(page, "the audit log");
  });
});

test.runIf(nightly)(
  "on a phone the trash and the audit log are cards, and nothing scrolls sideways",
  async () => {
    const page = await open(blank, narrow);
    for (const [path, title] of [
      ["/trash", "Papelera"],
      ["/audit", "Auditoría"],
    ] as const) {
      await page.goto(path);
      await heading(page, title).waitFor();
      await page
        .getByText(/^Mostrando|está vacía|No hay/)
        .first()
        .waitFor();
      await expectAccessible(page, `${title} on a phone`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
  },
);
