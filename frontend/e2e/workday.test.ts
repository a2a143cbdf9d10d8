// Work of a day, with the presses and the time that it takes: two hundred films to another category and back, a deletion
// taken back, what lacks an English synopsis, who changed a film, an agent's month, all users as a spreadsheet. Channels
// from a spreadsheet are in imports.test.ts, a customer who moves in moving.test.ts, renewals in customer.test.ts.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { heading, pressesOn, row } from "./screens";
import { categoryId, clientOf, create, expectGone, nightly, pagesOfOneBrowser, url } from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();
const count = 200;

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
  await register(client, { username: "day_agent", fullName: "Agente del día", roleCode: "agent" });
  await move(client, "add-for-sale", "day_agent", 20);
});

test.runIf(nightly)("two hundred films get another category, and theirs back", async () => {
  const page = await open("/content/movies?search=Jornada");
  const mouse = pressesOn(page);
  const [action, fiction] = [await categoryId(page, "Acción"), await categoryId(page, "Ciencia ficción")];
  await row(page, "Jornada 199").or(row(page, "Jornada 000")).waitFor();
  const begin = Date.now();
  await mouse.press(page.getByRole("checkbox", { name: "Seleccionar esta página" }));
  await mouse.press(page.getByRole("button", { name: `Seleccionar los ${count} que coinciden` }));
  await mouse.press(page.getByRole("button", { name: "Cambiar…" }));
  const dialog = page.getByRole("dialog");
  await mouse.press(dialog.getByRole("combobox", { name: "Qué cambiar" }));
  await mouse.press(page.getByRole("option", { name: "Categoría" }));
  await mouse.press(dialog.getByRole("combobox", { name: "Nuevo valor" }));
  await mouse.press(page.getByRole("option", { name: "Ciencia ficción" }));
  await mouse.press(dialog.getByRole("button", { name: "Vista previa" }));
  await mouse.press(dialog.getByRole("button", { name: `Cambiar ${count}` }));
  await dialog.getByText("Terminado. Se puede deshacer durante 24 horas.").waitFor();
  mouse.report(`${count} films to another category`, Date.now() - begin);
  expect(await films(page, fiction)).toBe(count);

  const undone = Date.now();
  const before = mouse.count();
  await mouse.press(dialog.getByRole("button", { name: "Deshacer" }));
  await dialog.getByText("Deshecho.").waitFor();
  mouse.report("the bulk change undone", Date.now() - undone, before);
  expect(await films(page, action)).toBe(count);
  expect(mouse.count()).toBe(10);
});

test.runIf(nightly)("a deletion is taken back", async () => {
  const page = await open("/content/movies?search=Jornada 003");
  const mouse = pressesOn(page);
  await row(page, "Jornada 003").waitFor();
  const begin = Date.now();
  await mouse.press(page.getByRole("button", { name: /^Eliminar .*Jornada 003/ }));
  await mouse.press(page.getByRole("dialog").getByRole("button", { name: "Eliminar", exact: true }));
  await expectGone(row(page, "Jornada 003"));
  const before = mouse.count();
  const deleted = Date.now();
  await mouse.press(page.getByRole("button", { name: "Deshacer" }));
  await row(page, "Jornada 003").waitFor();
  mouse.report(`a deletion undone (deleting took ${deleted - begin} ms)`, Date.now() - deleted, before);
  expect(mouse.count()).toBe(3);
});

test.runIf(nightly)(
  "the film without an English synopsis is found, and who changed another one",
  async () => {
    const page = await open("/");
    const changed = await page.request.get("/api/movies?search=Jornada 005");
    const [{ id }] = ((await changed.json()) as { content: [{ id: number }] }).content;
    await page.request.patch(`/api/movies/${id}`, { headers: { origin: url }, data: { year: 2001 } });
    await heading(page, "Panel de control")
      .or(page.getByRole("heading", { level: 1 }))
      .first()
      .waitFor();

    const mouse = pressesOn(page);
    const begin = Date.now();
    await page.goto("/content/completeness");
    await mouse.press(page.getByRole("link", { name: /sin sinopsis en inglés/ }).first());
    await row(page, "Jornada 007").waitFor();
    mouse.report("what lacks an English synopsis, from the board", Date.now() - begin);

    const asked = Date.now();
    const before = mouse.count();
    await page.goto("/audit?resource=movies&action=UPDATED");
    await mouse.press(page.getByRole("button", { name: /^Ver los cambios de Jornada 005/ }).first());
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2001").first().waitFor();
    mouse.report("who changed a film, from the audit log", Date.now() - asked, before);
  },
);

test.runIf(nightly)("an agent's month, and all users as a spreadsheet", async () => {
  const page = await open("/statements");
  const mouse = pressesOn(page);
  const begin = Date.now();
  await mouse.press(page.getByRole("combobox", { name: "Agente" }));
  await page.keyboard.type("día");
  await mouse.press(page.getByRole("option", { name: "Agente del día (day_agent)" }));
  await page
    .getByRole("article", { name: "Estado de cuenta de Agente del día" })
    .getByText("Existencias finales")
    .waitFor();
  mouse.report("a month's statement", Date.now() - begin);

  await page.goto("/users");
  const before = mouse.count();
  const asked = Date.now();
  await mouse.press(page.getByRole("button", { name: "Exportar…" }));
  const download = page.waitForEvent("download");
  await mouse.press(page.getByRole("dialog").getByRole("link", { name: "Descargar" }));
  expect((await download).suggestedFilename()).toBe("users.xlsx");
  await (await download).path();
  mouse.report("all users as a spreadsheet", Date.now() - asked, before);
  expect(mouse.count()).toBe(4);
});
