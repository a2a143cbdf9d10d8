// The settings page: images, settings and messages, each added, changed and deleted, in both languages.
import { beforeEach, describe, expect, test } from "vitest";
import { choose, field, heading } from "./screens";
import {
  casesOf,
  clientOf,
  create,
  dark,
  expectAccessibleIn,
  expectGone,
  expectPath,
  flowLanguages,
  type Language,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  url,
  without,
} from "./support";
import { register } from "./users";

const open = pagesOfOneBrowser();

/** Texts of the screen, repeated on purpose like those of words.ts. */
const es = {
  title: "CONFIGURACIÓN",
  images: "Imágenes de fondo",
  messages: "Mensajes alerta",
  addImage: "Añadir imagen",
  addMessage: "Añadir mensaje",
  imageTitle: "Título",
  type: "Tipo",
  sports: "Deportes",
  year: "Año",
  minutes: "Duración (minutos)",
  genre: "Género",
  rating: "Clasificación",
  pg13: "PG-13: mayores de 13 años",
  kids: "Modo niños",
  imageUrl: "URL de la imagen",
  message: "Mensaje",
  save: "Guardar cambios",
  saved: "Configuración guardada",
  cancel: "Cancelar",
  delete: "Eliminar",
  edit: (name: string) => `Editar «${name}»`,
  remove: (name: string) => `Eliminar «${name}»`,
  deleteImage: "¿Eliminar esta imagen de fondo?",
  noImages: "Todavía no hay imágenes de fondo.",
  noMessages: "Todavía no hay mensajes de alerta.",
  needsUrl: "Escribe la URL de la imagen",
  needsMessage: "Escribe el mensaje",
  counter: (length: number) => `${length} de 150 caracteres`,
  monthly: "Precio mensual de los créditos",
  annual: "Precio anual de los créditos",
  items: "Elementos por página",
  years: "Años",
  price: "9,99",
  tooPrecise: "El precio admite como máximo 2 decimales",
  tooMany: "No puede exceder 1000",
  keepEditing: "Seguir editando",
};
const en: typeof es = {
  title: "SETTINGS",
  images: "Background images",
  messages: "Alert messages",
  addImage: "Add image",
  addMessage: "Add message",
  imageTitle: "Title",
  type: "Type",
  sports: "Sports",
  year: "Year",
  minutes: "Length (minutes)",
  genre: "Genre",
  rating: "Classification",
  pg13: "PG-13: over 13",
  kids: "Kids mode",
  imageUrl: "Image URL",
  message: "Message",
  save: "Save changes",
  saved: "Settings saved",
  cancel: "Cancel",
  delete: "Delete",
  edit: (name: string) => `Edit “${name}”`,
  remove: (name: string) => `Delete “${name}”`,
  deleteImage: "Delete this background image?",
  noImages: "There are no background images yet.",
  noMessages: "There are no alert messages yet.",
  needsUrl: "Write the image's URL",
  needsMessage: "Write the message",
  counter: (length: number) => `${length} of 150 characters`,
  monthly: "Monthly price of credits",
  annual: "Annual price of credits",
  items: "Items per page",
  years: "Years",
  price: "9.99",
  tooPrecise: "A price has at most 2 decimals",
  tooMany: "It can't exceed 1000",
  keepEditing: "Keep editing",
};
const words: Record<Language, typeof es> = { es, en };

const defaults = {
  itemsPerPage: 50,
  monthlyCreditsPrice: 0,
  annualCreditsPrice: 0,
  allowedPeriods: { months: true, years: false },
  maxTransactionsPerAgent: 12,
};
const dune = {
  type: "proximamente",
  title: "Dune",
  year: 2024,
  imageUrl: "https://images.example.com/dune.jpg",
};

type Page = Awaited<ReturnType<typeof open>>;

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const settings = async () => (await (await clientOf()).request.get("/api/app-settings")).json();

async function setSettings(data: object = defaults) {
  const answer = await (await clientOf()).request.put("/api/app-settings", { data });
  expect(answer.status(), await answer.text()).toBe(200);
}

beforeEach(async () => {
  await without(await clientOf(), "background-images", "alert-messages");
  await setSettings();
});

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("a background image is added with a look at it, changed and deleted", async () => {
    const page = await open("/settings/general", { language });
    await heading(page, w.title).waitFor();
    await page.getByText(w.noImages).waitFor();
    await button(page, w.addImage).click();
    await field(page, w.imageUrl).waitFor();
    await button(page, w.addImage).click();
    await page.getByText(w.needsUrl, { exact: true }).waitFor();
    await field(page, w.imageTitle).fill("Final");
    await choose(page, w.type, w.sports);
    await field(page, w.year).fill("2026");
    await field(page, w.minutes).fill("120");
    await field(page, w.genre).fill("Fútbol");
    await choose(page, w.rating, w.pg13);
    await page.getByRole("switch", { name: w.kids }).check({ force: true });
    await field(page, w.imageUrl).fill("https://images.example.com/final.jpg");
    await page.getByRole("figure").getByRole("img").waitFor();
    await button(page, w.addImage).click();

    const card = page.getByRole("article").filter({ hasText: "Final" });
    await card.getByText("2026 · Fútbol · 120 min · PG-13").waitFor();
    await card.getByText(w.sports).waitFor();
    await card.getByText(w.kids).waitFor();
    expect(await card.getByRole("img").getAttribute("src")).toBe("https://images.example.com/final.jpg");

    await button(page, w.edit("Final")).click();
    await field(page, w.imageTitle).fill("Semifinal");
    await page.keyboard.press("Control+s");
    await page.getByRole("heading", { name: "Semifinal" }).waitFor();

    await button(page, w.remove("Semifinal")).click();
    const question = page.getByRole("dialog", { name: w.deleteImage });
    await question.getByRole("button", { name: w.cancel }).click();
    await expectGone(question);
    await button(page, w.remove("Semifinal")).click();
    await question.getByRole("button", { name: w.delete, exact: true }).click();
    await page.getByText(w.noImages).waitFor();
  });

  test("settings are saved to the cent, and what is out of bounds is not sent", async () => {
    const page = await open("/settings/general?tab=control", { language });
    await field(page, w.items).fill("1001");
    await button(page, w.save).click();
    await page.getByText(w.tooMany).waitFor();
    await field(page, w.items).fill("25");
    await field(page, w.monthly).fill(w.price);
    await field(page, w.annual).fill("99");
    await page.getByRole("checkbox", { name: w.years }).check();
    await button(page, w.save).dblclick();
    // The second click saves once more where the first is answered before it.
    await page.getByText(w.saved).first().waitFor();
    expect(await settings()).toMatchObject({
      ...defaults,
      itemsPerPage: 25,
      monthlyCreditsPrice: 9.99,
      annualCreditsPrice: 99,
      allowedPeriods: { months: true, years: true },
    });
    await page.reload();
    await field(page, w.monthly).waitFor();
    expect(await field(page, w.monthly).inputValue()).toBe(w.price);
  });

  test.runIf(nightly)(
    "an alert message is added, changed and deleted, and counts its characters",
    async () => {
      const page = await open("/settings/general?tab=messages", { language });
      await page.getByText(w.noMessages).waitFor();
      await button(page, w.addMessage).click();
      await field(page, w.message).fill("   ");
      await button(page, w.addMessage).click();
      await page.getByText(w.needsMessage).waitFor();
      await field(page, w.message).fill("ñ".repeat(151));
      await page.getByText(w.counter(151)).waitFor();
      await field(page, w.message).fill("ñ".repeat(150));
      await button(page, w.addMessage).click();
      const row = page.getByRole("article");
      await row.getByText(w.counter(150)).waitFor();

      await row.getByRole("button").first().click();
      await field(page, w.message).fill("Hola");
      await button(page, w.save).click();
      await row.getByText("Hola", { exact: true }).waitFor();
      await button(page, w.remove("Hola")).click();
      await page.getByRole("dialog").getByRole("button", { name: w.delete, exact: true }).click();
      await page.getByText(w.noMessages).waitFor();
    },
  );

  test.runIf(nightly)("what is half written is not lost without a question", async () => {
    const page = await open("/settings/general?tab=messages&edit=new", { language });
    await field(page, w.message).fill("A medias");
    await page.getByRole("tab", { name: w.images }).click();
    await page.getByRole("dialog").getByRole("button", { name: w.keepEditing }).click();
    expect(await field(page, w.message).inputValue()).toBe("A medias");
    await page.getByRole("tab", { name: w.images }).click();
    const leave = page.getByRole("dialog").getByRole("button").last();
    await leave.click();
    await page.getByText(w.noImages).waitFor();
  });
});

test.runIf(nightly)("the tab is in the address, and going back returns to it", async () => {
  const page = await open("/settings/general");
  await page.getByRole("tab", { name: es.messages }).click();
  await page.getByText(es.noMessages).waitFor();
  expect(new URL(page.url()).search).toBe("?tab=messages");
  await page.goBack();
  await page.getByText(es.noImages).waitFor();
});

test.runIf(nightly)("images are searched and paged", async () => {
  const client = await clientOf();
  for (let number = 1; number <= 11; number += 1)
    await create(client, "background-images", { ...dune, title: `Imagen ${number}` });
  const page = await open("/settings/general");
  await page.getByText("Mostrando 1 a 10 de 11 resultados").waitFor();
  await page.getByRole("button", { name: "Página 2" }).click();
  await page.getByText("Mostrando 11 a 11 de 11 resultados").waitFor();
  await page.getByRole("searchbox").fill("imagen 7");
  await page.getByText("Mostrando 1 a 1 de 1 resultados").waitFor();
  await page.getByRole("heading", { name: "Imagen 7" }).waitFor();
});

test("of two who save different fields, both keep theirs", async () => {
  const page = await open("/settings/general?tab=control");
  await field(page, es.items).waitFor();
  await setSettings({ ...defaults, itemsPerPage: 20 });
  await page.getByRole("checkbox", { name: es.years }).check();
  await button(page, es.save).click();
  await page.getByText(es.saved).first().waitFor();
  expect(await settings()).toMatchObject({ itemsPerPage: 20, allowedPeriods: { years: true } });
});

test.runIf(nightly)("without the permission the address redirects to the home page", async () => {
  await register(await clientOf(), {
    username: "set_content",
    fullName: "Elena Campos",
    roleCode: "contentManager",
  });
  const manager = await open("/settings/general", { as: "set_content" });
  await expectPath(manager, "/");
  expect((await manager.request.get(`${url}/api/app-settings`)).status()).toBe(403);
});

const screens: Record<string, { path: string; ready: (page: Page) => Promise<unknown> }> = {
  images: {
    path: "/settings/general",
    ready: (page) => page.getByRole("heading", { name: "Dune" }).waitFor(),
  },
  "new image, with errors": {
    path: "/settings/general?edit=new",
    ready: async (page) => {
      await field(page, es.imageUrl).waitFor();
      await button(page, es.addImage).click();
      await page.getByText(es.needsUrl, { exact: true }).waitFor();
    },
  },
  control: { path: "/settings/general?tab=control", ready: (page) => field(page, es.items).waitFor() },
  messages: {
    path: "/settings/general?tab=messages",
    ready: (page) => page.getByText("Aviso", { exact: true }).waitFor(),
  },
  "new message": {
    path: "/settings/general?tab=messages&edit=new",
    ready: (page) => field(page, es.message).waitFor(),
  },
};

/** They are made of what the others are made of. */
const onlyNightly = ["images", "messages", "new message"];

test.each(casesOf(screens, onlyNightly))("axe finds nothing: %s", async (name, { path, ready }) => {
  const client = await clientOf();
  await create(client, "background-images", dune);
  await create(client, "alert-messages", { message: "Aviso" });
  await expectAccessibleIn([light, dark, narrow], `settings, ${name}`, async (look) => {
    const page = await open(path, look);
    await ready(page);
    return page;
  });
});
