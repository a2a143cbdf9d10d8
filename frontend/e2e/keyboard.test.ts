// Work by the keyboard alone: a film with two links by look-up, three renewals, a report resolved, an import, a film back
// out of the trash, two films merged, a sale reversed, a saved view. Keys of the first three are
// counted, so that a flow that grows is seen; what is typed as text counts by the letter, and is said apart.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { categoryId, clientOf, create, expectGone, expectPath, nightly, pagesOfOneBrowser } from "./support";
import { move, register } from "./users";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;

/** A keyboard that counts: keys that steer, and letters. */
function keyboardOf(page: Page) {
  const counted = { keys: 0, letters: 0 };
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      counted.keys += 1;
    }
  };
  const type = async (text: string) => {
    // As fast as people type.
    await page.keyboard.type(text, { delay: 40 });
    counted.letters += text.length;
  };
  const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement);
  /** Where the focus is by itself. */
  const expectFocus = (target: Locator) =>
    expect
      .poll(() => isFocused(target), { message: `the focus is on ${target}`, timeout: 30_000 })
      .toBe(true);
  return {
    counted,
    press,
    type,
    expectFocus,
    /** Goes there with Tab, and fails if that takes more than so many keys. */
    async tabTo(target: Locator, atMost = 25) {
      await target.waitFor();
      for (let step = 0; step <= atMost; step += 1) {
        if (await isFocused(target)) return;
        await press("Tab");
      }
      throw new Error(`${target} is more than ${atMost} keys away`);
    },
    /** The first value that fits what was typed into a list of values. */
    async pick(text: string, value: string) {
      await type(text);
      await page.locator("[role=option][data-combobox-selected]").filter({ hasText: value }).waitFor();
      await press("Enter");
    },
    /** A page of the panel, by the palette; its heading has the focus. */
    async goTo(name: string, heading: string = name) {
      await press("Control+k");
      await page.getByPlaceholder("Ir a una página o buscar un título o un usuario…").waitFor();
      await type(name);
      await page.locator("[data-action][data-selected]").filter({ hasText: name }).waitFor();
      await press("Enter");
      await expectFocus(page.getByRole("heading", { level: 1, name: heading }));
    },
  };
}

test("a film with two links is looked up, completed and saved", async () => {
  const page = await open("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const keyboard = keyboardOf(page);
  const { press, type, pick, tabTo, expectFocus } = keyboard;

  await keyboard.goTo(w.movies.page);
  await tabTo(page.getByRole("link", { name: w.movies.create }));
  await press("Enter");
  const id = page.getByRole("textbox", { name: w.lookup.label });
  await expectFocus(id);
  await type("tt0133093");
  await press("Enter");

  const category = page.getByRole("combobox", { name: w.fields.category });
  await tabTo(category);
  await pick("Ciencia", w.values.category);
  await tabTo(page.getByRole("combobox", { name: w.fields.classification }));
  await pick("R: ", w.values.restricted);

  for (const [number, url] of [
    "https://cdn.example.com/1080.m3u8",
    "https://cdn.example.com/2160.m3u8",
  ].entries()) {
    await tabTo(page.getByRole("button", { name: w.links.add, exact: true }));
    await press("Enter");
    const dialog = page.getByRole("dialog", { name: w.links.add });
    await expectFocus(dialog.getByRole("textbox", { name: w.links.url }));
    await type(url);
    await tabTo(dialog.getByRole("combobox", { name: w.links.audio }));
    await pick("Espa", w.values.spanish);
    await press("Control+s");
    await expectGone(dialog);
    // As people do, who see the dialog go before they go on.
    await expectFocus(page.getByRole("button", { name: w.links.add, exact: true }));
    await expect.poll(() => page.locator(".link-row").count(), { timeout: 30_000 }).toBe(number + 1);
  }
  await press("Control+s");
  await expect.poll(() => stored(page, "/api/movies?imdbId=tt0133093"), { timeout: 30_000 }).toBe(1);
  const { content } = await (await page.request.get("/api/movies?imdbId=tt0133093")).json();
  const film = await (await page.request.get(`/api/movies/${content[0].id}`)).json();
  expect(film.links).toHaveLength(2);
  expect(film.categoryId).toBe(await categoryId(page, w.values.category));
  expect(keyboard.counted.keys).toBeLessThanOrEqual(46);
});

test("three customers are renewed", async () => {
  const client = await clientOf();
  const names = ["Teclada Uno", "Teclada Dos", "Teclada Tres"];
  for (const [number, fullName] of names.entries())
    await register(client, { username: `teclada_${number}`, fullName, roleCode: "app" });
  const page = await open("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const keyboard = keyboardOf(page);
  const { press, type, tabTo, expectFocus } = keyboard;

  for (const [number, fullName] of names.entries()) {
    await keyboard.goTo(fullName, fullName);
    await expectPath(page, `/users/teclada_${number}`);
    await tabTo(page.getByRole("button", { name: "Renovar", exact: true }));
    await press("Enter");
    const dialog = page.getByRole("dialog");
    await expectFocus(dialog.getByRole("textbox", { name: /Cantidad/ }));
    await type("3");
    await dialog.getByRole("button", { name: "Añadir 3 créditos", disabled: false }).waitFor();
    await press("Enter");
    await expectGone(dialog);
    const renewed = await (await page.request.get(`/api/users/teclada_${number}`, { maxRetries: 3 })).json();
    expect(renewed.credits).toBe(3);
  }
  expect(keyboard.counted.keys).toBeLessThanOrEqual(20);
});

test("a report is resolved", async () => {
  const client = await clientOf();
  const movie = await create(client, "movies", {
    title: "Película del teclado",
    year: 1999,
    durationMinutes: 100,
    classification: "R",
    genres: ["ACTION"],
    categoryId: await categoryId(client, w.values.category),
    links: [{ quality: "HD", url: "https://cdn.example.com/t.m3u8", audioLanguages: ["SPANISH"] }],
  });
  await create(client, "issue-reports", {
    contentType: "MOVIE",
    contentId: movie.id,
    reportType: "NOT_LOADING",
    title: "No carga",
  });
  const page = await open("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const keyboard = keyboardOf(page);
  const { press, tabTo } = keyboard;
  await keyboard.goTo("Errores Reproducción", "Errores de reproducción");
  await tabTo(page.getByRole("link", { name: "No carga" }));
  await press("Enter");
  const drawer = page.getByRole("dialog");
  await tabTo(drawer.getByRole("button", { name: "Marcar como resuelto" }));
  await press("Enter");
  const question = page.getByRole("dialog", { name: "¿Marcar como resuelto?" });
  await question.waitFor();
  await tabTo(question.getByRole("button", { name: "Marcar como resuelto" }));
  await press("Enter");
  await expectGone(question);
  // Two of them pass the boxes that select reports.
  expect(keyboard.counted.keys).toBeLessThanOrEqual(32);
});

async function film(title: string, reference?: string) {
  const client = await clientOf();
  return create(client, "movies", {
    title,
    year: 1922,
    durationMinutes: 94,
    classification: "G",
    reference,
    categoryId: await categoryId(client, w.values.category),
    links: [{ quality: "HD", url: `https://cdn.example.com/${title}.m3u8`, audioLanguages: ["SPANISH"] }],
  });
}

test.runIf(nightly)("a spreadsheet is imported, its columns matched", async () => {
  const page = await open("/content/tv-channels");
  const { press, type, tabTo, expectFocus } = keyboardOf(page);
  await tabTo(page.getByRole("button", { name: "Importar…" }), 60);
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Importar una hoja de cálculo" });
  await expectFocus(dialog.getByRole("button", { name: "Elegir un archivo…" }));
  const choosing = page.waitForEvent("filechooser");
  await press("Enter");
  const file =
    "Número;Título;Grupo;Tipo de dirección;Dirección\r\n7;Canal 7;Noticias;Externa;https://tv.example/7.m3u8";
  await (await choosing).setFiles({ name: "canales.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  // A heading that no field has: its field is chosen by its first letters.
  const group = dialog.getByRole("combobox", { name: "Campo de «Grupo»" });
  await tabTo(group, 60);
  await type("Categorías");
  await press("ArrowDown");
  await page.locator("[role=option][data-combobox-selected]").filter({ hasText: "Categorías" }).waitFor();
  await press("Enter");
  await tabTo(dialog.getByRole("button", { name: "Vista previa" }), 40);
  await press("Enter");
  const run = dialog.getByRole("button", { name: "Importar 1 fila", disabled: false });
  await tabTo(run);
  await press("Enter");
  await dialog.getByText("1 añadido").waitFor();
  await tabTo(dialog.getByRole("button", { name: "Cerrar" }).last());
  await press("Enter");
  await expectGone(dialog);
  expect(await stored(page, "/api/tv-channels")).toBe(1);
});

test("a film is restored from the trash", async () => {
  const { id } = await film("Recuperada");
  expect((await (await clientOf()).request.delete(`/api/movies/${id}`)).status()).toBe(204);
  const page = await open("/trash");
  const { press, tabTo } = keyboardOf(page);
  await tabTo(page.getByRole("button", { name: "Restaurar Recuperada" }).first(), 60);
  await press("Enter");
  await page.getByText("Se restauró «Recuperada»").waitFor();
  expect((await page.request.get(`/api/movies/${id}`)).status()).toBe(200);
});

test.runIf(nightly)("two films are merged", async () => {
  await film("Nosferatu");
  await film("NOSFERATU", "B-2");
  const page = await open("/content/duplicates");
  const { press, tabTo } = keyboardOf(page);
  await tabTo(page.getByRole("button", { name: /^Comparar y combinar Nosferatu/i }).first(), 60);
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Combinar duplicados" });
  await tabTo(dialog.getByRole("button", { name: "Combinar", disabled: false }));
  await press("Enter");
  await expectGone(dialog);
  await expect.poll(() => stored(page, "/api/movies?search=nosferatu")).toBe(1);
});

test.runIf(nightly)("a sale is reversed", async () => {
  const admin = await clientOf();
  await register(admin, { username: "teclada_agente", fullName: "Agente del teclado", roleCode: "agent" });
  await move(admin, "add-for-sale", "teclada_agente", 10);
  const agent = await clientOf("teclada_agente");
  await register(agent, { username: "teclada_venta", fullName: "Teclada Venta", roleCode: "app" });
  await move(agent, "add", "teclada_venta", 2);
  const page = await open("/credits-history?username=teclada_venta", { as: "teclada_agente" });
  const { press, tabTo } = keyboardOf(page);
  await tabTo(page.getByRole("button", { name: "Revertir +2 de Teclada Venta" }), 60);
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Revertir movimiento" });
  await tabTo(dialog.getByRole("button", { name: "Revertir", exact: true }));
  await press("Enter");
  await expectGone(dialog);
  const user = await (await page.request.get("/api/users/teclada_venta")).json();
  expect(user.credits).toBe(0);
});

test.runIf(nightly)("a view of a list is saved and shown", async () => {
  const page = await open("/content/movies?sort=-year");
  const { press, type, tabTo } = keyboardOf(page);
  const views = page.getByRole("button", { name: "Vistas guardadas" });
  await tabTo(views, 60);
  await press("Enter");
  const panel = page.getByRole("dialog", { name: "Vistas guardadas" });
  await tabTo(panel.getByRole("textbox", { name: "Nombre de la vista" }));
  await type("Por año");
  await press("Enter");
  await panel.getByRole("button", { name: "Por año", exact: true }).waitFor();
  await press("Escape");
  await expectGone(panel);
  await page.goto("/content/movies");
  await tabTo(views, 60);
  await press("Enter");
  await tabTo(panel.getByRole("button", { name: "Por año", exact: true }));
  await press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("sort")).toBe("-year");
});

async function stored(page: Page, path: string): Promise<number> {
  return (await (await page.request.get(path)).json()).totalElements;
}
