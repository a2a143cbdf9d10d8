// Tasks of a working day, with their clicks, key presses and time: two hundred films to another category and back, the undo of
// a deletion, films without an English synopsis, who changed a film yesterday, an agent's month, all users as a spreadsheet.
// Channels from a spreadsheet are in imports.test.ts, a customer who moves in moving.test.ts, forty renewals, with their
// time, in customer.test.ts.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { heading, pressesOn, row } from "./screens";
import {
  admin,
  categoryId,
  clientOf,
  create,
  expectGone,
  flowLanguages,
  type Language,
  nightly,
  pagesOfOneBrowser,
  setServerClock,
  url,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();
const count = 200;

const words = {
  es: {
    page: "Seleccionar esta página",
    everything: `Seleccionar los ${count} que coinciden`,
    change: "Cambiar…",
    what: "Qué cambiar",
    category: "Categoría",
    value: "Nuevo valor",
    fiction: "Ciencia ficción",
    preview: "Vista previa",
    run: `Cambiar ${count}`,
    done: "Terminado. Se puede deshacer durante 24 horas.",
    undo: "Deshacer",
    undone: "Deshecho.",
    delete: /^Eliminar .*Jornada 003/,
    confirm: "Eliminar",
    contents: "Contenidos",
    administration: "Administración",
    completeness: "Completitud",
    lacking: /sin sinopsis en inglés/,
    audit: "Auditoría",
    from: "Desde",
    to: "Hasta",
    details: /^Ver los cambios de Jornada 005/,
    agent: "Agente",
    statement: "Estado de cuenta de Agente del día",
    closing: "Existencias finales",
    export: "Exportar…",
    download: "Descargar",
  },
  en: {
    page: "Select this page",
    everything: `Select all ${count} that match`,
    change: "Change…",
    what: "What to change",
    category: "Category",
    value: "New value",
    fiction: "Science fiction",
    preview: "Preview",
    run: `Change ${count}`,
    done: "Finished. It can be undone for 24 hours.",
    undo: "Undo",
    undone: "Undone.",
    delete: /^Delete .*Jornada 003/,
    confirm: "Delete",
    contents: "Content",
    administration: "Administration",
    completeness: "Completeness",
    lacking: /without English synopsis/,
    audit: "Audit log",
    from: "From",
    to: "To",
    details: /^Show the changes of Jornada 005/,
    agent: "Agent",
    statement: "Statement of Agente del día",
    closing: "Closing stock",
    export: "Export…",
    download: "Download",
  },
} as const;

async function films(page: Page, category: number, filter = ""): Promise<number> {
  const answer = await page.request.get(`/api/movies?categoryId=${category}${filter}`);
  return ((await answer.json()) as { totalElements: number }).totalElements;
}

beforeAll(async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Acción");
  const film = (number: number) =>
    create(client, "movies", {
      title: `Jornada ${String(number).padStart(3, "0")}`,
      year: 2000,
      durationMinutes: 90,
      classification: "G",
      categoryId: category,
      englishSynopsis: number === 7 ? undefined : "A day.",
      links: [{ quality: "HD", url: "https://cdn.example.com/day.m3u8", audioLanguages: ["SPANISH"] }],
    });
  for (let number = 0; number < count; number += 10)
    await Promise.all(Array.from({ length: 10 }, (_, index) => film(number + index)));
  const found = await client.request.get("/api/movies?search=Jornada 005");
  const { content } = (await found.json()) as { content: [{ id: number }] };
  await setServerClock(-24 * 60);
  const changed = await client.request.patch(`/api/movies/${content[0].id}`, {
    headers: { origin: url },
    data: { year: 2001 },
  });
  await setServerClock(0);
  expect(changed.status(), await changed.text()).toBe(200);
  await register(client, { username: "day_agent", fullName: "Agente del día", roleCode: "agent" });
  await move(client, "add-for-sale", "day_agent", 20);
});

/** The day before, as it is written in each language. */
function yesterday(language: Language): string {
  const [year, month, day] = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10).split("-");
  return language === "es" ? `${day}/${month}/${year}` : `${year}-${month}-${day}`;
}

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test.runIf(nightly)("two hundred films get another category, and theirs back", async () => {
    const page = await open("/content/movies?search=Jornada", { language });
    const mouse = pressesOn(page);
    const [action, fiction] = [await categoryId(page, "Acción"), await categoryId(page, "Ciencia ficción")];
    await row(page, "Jornada 199").or(row(page, "Jornada 000")).waitFor();
    const begin = Date.now();
    await mouse.press(page.getByRole("checkbox", { name: w.page }));
    await mouse.press(page.getByRole("button", { name: w.everything }));
    await mouse.press(page.getByRole("button", { name: w.change }));
    const dialog = page.getByRole("dialog");
    await mouse.press(dialog.getByRole("combobox", { name: w.what }));
    await mouse.press(page.getByRole("option", { name: w.category }));
    await mouse.press(dialog.getByRole("combobox", { name: w.value }));
    await mouse.press(page.getByRole("option", { name: w.fiction }));
    await mouse.press(dialog.getByRole("button", { name: w.preview }));
    await mouse.press(dialog.getByRole("button", { name: w.run }));
    await dialog.getByText(w.done).waitFor();
    mouse.report(`${count} films to another category`, Date.now() - begin);
    expect(await films(page, fiction)).toBe(count);

    const undone = Date.now();
    const before = mouse.count();
    await mouse.press(dialog.getByRole("button", { name: w.undo }));
    await dialog.getByText(w.undone).waitFor();
    mouse.report("the bulk change undone", Date.now() - undone, before);
    expect(await films(page, action)).toBe(count);
    expect(mouse.count()).toBe(10);
  });

  test.runIf(nightly)("a deletion is undone", async () => {
    const page = await open("/content/movies?search=Jornada 003", { language });
    const mouse = pressesOn(page);
    await row(page, "Jornada 003").waitFor();
    const begin = Date.now();
    await mouse.press(page.getByRole("button", { name: w.delete }));
    await mouse.press(page.getByRole("dialog").getByRole("button", { name: w.confirm, exact: true }));
    await expectGone(row(page, "Jornada 003"));
    const before = mouse.count();
    const deleted = Date.now();
    await mouse.press(page.getByRole("button", { name: w.undo }));
    await row(page, "Jornada 003").waitFor();
    mouse.report(`a deletion undone (deleting took ${deleted - begin} ms)`, Date.now() - deleted, before);
    expect(mouse.count()).toBe(3);
  });

  test.runIf(nightly)("the film without an English synopsis is found from the menu", async () => {
    const page = await open("/", { language });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const mouse = pressesOn(page);
    const begin = Date.now();
    await mouse.press(page.getByRole("button", { name: w.contents }).first());
    await mouse.press(page.getByRole("menuitem", { name: w.completeness, exact: true }));
    await mouse.press(page.getByRole("link", { name: w.lacking }).first());
    await row(page, "Jornada 007").waitFor();
    mouse.report("what lacks an English synopsis, by the menu and the board", Date.now() - begin);
    expect(mouse.count()).toBe(3);
  });

  test.runIf(nightly)("who changed a film yesterday is found from the menu", async () => {
    const page = await open("/", { language });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const mouse = pressesOn(page);
    const begin = Date.now();
    await mouse.press(page.getByRole("button", { name: w.administration }).first());
    await mouse.press(page.getByRole("menuitem", { name: w.audit, exact: true }));
    await heading(page, w.audit).waitFor();
    for (const label of [w.from, w.to]) {
      const day = page.getByRole("textbox", { name: label, exact: true });
      await mouse.press(day);
      await day.fill(yesterday(language));
      await day.press("Tab");
    }
    await mouse.press(page.getByRole("button", { name: w.details }).first());
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2001").first().waitFor();
    await dialog.getByText(`· ${admin.username} ·`).waitFor();
    mouse.report("who changed a film yesterday, by the menu", Date.now() - begin);
    expect(mouse.count()).toBe(5);
  });

  test.runIf(nightly)("an agent's month, and all users as a spreadsheet", async () => {
    const page = await open("/statements", { language });
    const mouse = pressesOn(page);
    const begin = Date.now();
    await mouse.press(page.getByRole("combobox", { name: w.agent }));
    await page.keyboard.type("día");
    await mouse.press(page.getByRole("option", { name: "Agente del día (day_agent)" }));
    await page.getByRole("article", { name: w.statement }).getByText(w.closing).waitFor();
    mouse.report("a month's statement", Date.now() - begin);

    await page.goto("/users");
    const before = mouse.count();
    const requestedAt = Date.now();
    await mouse.press(page.getByRole("button", { name: w.export }));
    const download = page.waitForEvent("download");
    await mouse.press(page.getByRole("dialog").getByRole("link", { name: w.download }));
    expect((await download).suggestedFilename()).toBe("users.xlsx");
    await (await download).path();
    mouse.report("all users as a spreadsheet", Date.now() - requestedAt, before);
    expect(mouse.count()).toBe(4);
  });
});
