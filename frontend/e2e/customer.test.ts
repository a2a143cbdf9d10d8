// The page of a customer, and an agent's morning: customers renewed, written to and marked as contacted, with the
// presses counted.
import { beforeAll, describe, expect, test } from "vitest";
import { heading, pressesOn } from "./screens";
import {
  clientOf,
  dark,
  expectAccessible,
  expectGone,
  flowLanguages,
  type Language,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  url,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();
const agent = "morning_agent";
/** How many are renewed, written to and marked. Two others have a page each. */
const count = nightly ? 40 : 12;
const names = Array.from(
  { length: count + 2 },
  (_, number) => `Cliente ${String(number + 1).padStart(2, "0")}`,
);
const usernameOf = (index: number) => `morning_${index + 1}`;

beforeAll(async () => {
  const admin = await clientOf();
  await register(admin, { username: agent, fullName: "Marta Rey", roleCode: "agent" });
  await move(admin, "add-for-sale", agent, 60, "Compra");
  const seller = await clientOf(agent);
  for (const [index, fullName] of names.entries()) {
    await register(seller, { username: usernameOf(index), fullName, roleCode: "app" });
    const end = new Date(Date.now() + 86_400_000 + index * 60_000).toISOString();
    const answer = await admin.request.patch(`/api/users/${usernameOf(index)}`, {
      headers: { origin: url },
      data: { expirationDate: end },
    });
    expect(answer.status(), await answer.text()).toBe(200);
  }
}, 180_000);

const openAs = (path: string, language: Language = "es", width = light.width) =>
  open(path, { as: agent, language, width });

const words = {
  es: {
    notes: "Notas",
    newNote: /^Nota nueva/,
    addNote: "Añadir nota",
    app: "Puede reproducir",
    more: (name: string) => `Más acciones para «${name}»`,
    contacted: /como contactado/,
    contact: (name: string) => `Contacto con ${name}`,
    note: /^Nota/,
    save: "Guardar",
    marked: /^Contactado el/,
  },
  en: {
    notes: "Notes",
    newNote: /^New note/,
    addNote: "Add note",
    app: "Can play",
    more: (name: string) => `More actions for “${name}”`,
    contacted: /as contacted/,
    contact: (name: string) => `Contact with ${name}`,
    note: /^Note/,
    save: "Save",
    marked: /^Contacted on/,
  },
} as const;

describe.each(flowLanguages)("the page of a customer in %s", (language) => {
  const w = words[language];
  const index = language === "es" ? count : count + 1;
  const name = names[index] as string;
  const username = usernameOf(index);

  test("notes and contacts are written there, and axe finds nothing", async () => {
    const page = await openAs(`/renewals?search=${username}`, language);
    await page.getByRole("link", { name, exact: true }).click();
    await heading(page, name).waitFor();
    await page.getByText(w.app, { exact: true }).waitFor();
    const notes = page.getByRole("region", { name: w.notes, exact: true });
    await notes.getByRole("textbox", { name: w.newNote }).fill("Paga en efectivo");
    await notes.getByRole("button", { name: w.addNote }).click();
    // The text box may still hold the same words: the list item proves the note.
    await notes.getByRole("listitem").getByText("Paga en efectivo", { exact: true }).waitFor();

    await page.getByRole("button", { name: w.more(name) }).click();
    await page.getByRole("menuitem", { name: w.contacted }).click();
    const dialog = page.getByRole("dialog", { name: w.contact(name) });
    await dialog.getByRole("textbox", { name: w.note }).fill("Llamará el lunes");
    await expectAccessible(page, "a contact with a customer");
    await dialog.getByRole("button", { name: w.save, exact: true }).click();
    await expectGone(dialog);
    await notes.getByText(w.marked).waitFor();

    await page.mouse.move(0, 0);
    for (const { scheme, width } of [light, dark, narrow]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await heading(page, name).waitFor();
      await expectAccessible(page, `page of a customer, ${language}, ${scheme}, ${width} px`);
    }
  });
});

test.runIf(nightly)("another agent's customer is not found", async () => {
  const page = await openAs("/users/nobody_of_mine");
  await page.getByText("Este usuario no existe o no es de tus clientes.").waitFor();
});

test("the bell shows notices, and marks none as new once they were seen", async () => {
  const page = await openAs("/");
  await page.getByRole("button", { name: /^Avisos: 1 nuevo/ }).click();
  await page.getByRole("menuitem", { name: /Suscripciones que vencen en los próximos 7 días/ }).waitFor();
  await expectAccessible(page, "the bell");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Avisos", exact: true }).waitFor();
  const phone = await openAs("/", "es", narrow.width);
  await phone.getByRole("button", { name: "Avisos", exact: true }).click();
  await phone.getByRole("menuitem", { name: /Suscripciones que vencen/ }).click();
  await heading(phone, "Renovaciones").waitFor();
});

test("customers are renewed, written to and marked as contacted", async () => {
  const page = await openAs("/renewals?size=50");
  const mouse = pressesOn(page);
  await page.getByRole("link", { name: names[0], exact: true }).waitFor();
  const begin = Date.now();
  await mouse.press(page.getByRole("checkbox", { name: `Seleccionar «${names[0]}»` }));
  const last = page.getByRole("checkbox", { name: `Seleccionar «${names[count - 1]}»` });
  await page.keyboard.down("Shift");
  await mouse.press(last);
  await page.keyboard.up("Shift");
  const bar = page.getByRole("region", { name: "Clientes seleccionados" });
  await bar.getByText(`${count} clientes seleccionados`).waitFor();

  // A message to each, before the subscription is renewed: the channel is the clipboard.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await mouse.press(bar.getByRole("button", { name: "Escribir" }));
  const dialog = page.getByRole("dialog");
  for (const [index, name] of names.slice(0, count).entries()) {
    await page.getByRole("dialog", { name: `Mensaje para ${name}` }).waitFor();
    await mouse.press(dialog.getByRole("button", { name: "Copiar" }));
    await dialog.getByText("Marcado como contactado").waitFor();
    const isLast = index + 1 === count;
    await mouse.press(dialog.getByRole("button", { name: isLast ? "Terminar" : "Siguiente" }));
  }
  await expectGone(dialog);
  const written = Date.now();
  await mouse.press(bar.getByRole("button", { name: "Renovar", exact: true }));
  const submit = dialog.getByRole("button", { name: `Renovar a ${count} clientes` });
  await expect.poll(() => submit.isEnabled(), { timeout: 20_000 }).toBe(true);
  await mouse.press(submit);
  await dialog.getByText(`${count} clientes renovados`).waitFor({ timeout: 60_000 });
  const end = Date.now();
  console.log(
    `${count} renewals with messages: ${mouse.count()} presses, ${written - begin} ms for the messages, ${end - written} ms for the renewals`,
  );
  expect(mouse.count()).toBe(2 * count + 5);
  const first = await page.request.get(`/api/users/${usernameOf(0)}/notes`);
  expect((await first.json()).content[0]).toMatchObject({ kind: "CONTACT", author: agent });
  const sold = await (await page.request.get("/api/credits/ledger?operation=ADD_CREDITS")).json();
  expect(sold.totalElements).toBe(count);
}, 240_000);
