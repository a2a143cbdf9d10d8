// Work by the keyboard alone: a film with two links by look-up, three renewals, a report resolved. Keys are
// counted, so that a flow that grows is seen; what is typed as text counts by the letter, and is said apart.
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { categoryId, clientOf, create, expectGone, expectPath, pagesOfOneBrowser } from "./support";
import { register } from "./users";
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

async function stored(page: Page, path: string): Promise<number> {
  return (await (await page.request.get(path)).json()).totalElements;
}
