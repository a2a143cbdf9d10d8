// The streams of a channel on the screen: added, put in another order by keys and by dragging, saved, and saved by two.
import { expect, test } from "vitest";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  flowLanguages,
  type Language,
  narrow,
  pagesOfOneBrowser,
  without,
} from "./support";

const open = pagesOfOneBrowser();

type Page = Awaited<ReturnType<typeof open>>;

interface Streams {
  failover: string;
  streams: { urlType: string; url: string; label: string | null }[];
}

/** No host answers there: links go down only after a day, not during the test. */
const address = (name: string) => `http://127.0.0.1:9/${name}.ts`;

async function channel(title: string): Promise<number> {
  const client = await clientOf();
  await without(client, "tv-channels");
  const name = `Señales ${title} ${Date.now()}`;
  const category = await create(client, "categories", {
    description: name,
    englishDescription: `${name} en`,
    type: "TV_CHANNEL",
  });
  const { id } = await create(client, "tv-channels", {
    channelNumber: 7,
    title,
    categories: [category.id],
    urlType: "EXTERNAL",
    url: address("uno"),
  });
  return id;
}

const pathOf = (id: number) => `/content/tv-channels/${id}/streams`;

async function stored(id: number): Promise<Streams> {
  const { request } = await clientOf();
  return (await (await request.get(`/api/tv-channels/${id}/streams`)).json()) as Streams;
}

async function put(id: number, failover: string, names: string[]) {
  const { request } = await clientOf();
  const streams = names.map((name) => ({ urlType: "EXTERNAL", url: address(name), label: name }));
  const answer = await request.put(`/api/tv-channels/${id}/streams`, { data: { failover, streams } });
  expect(answer.status(), await answer.text()).toBe(200);
}

const words = {
  es: {
    list: "Señales en su orden",
    add: "Añadir señal",
    address: "Dirección",
    label: "Nombre",
    headers: "Cabeceras",
    saveNew: "Añadir",
    save: "Guardar señales",
    link: /^Señales del canal/,
    title: (title: string) => `Señales de «${title}»`,
    header: "1 cabecera",
    move: (name: string) => `Mover ${name}`,
    moved: (name: string, place: number, count: number) => `${name}: posición ${place} de ${count}`,
    up: (name: string) => `Subir ${name}`,
    down: (name: string) => `Bajar ${name}`,
    stay: "Seguir editando",
    auto: "La primera que no esté caída",
    saved: (title: string) => `Señales de «${title}» guardadas`,
    played: "La reciben los reproductores",
    edit: (name: string) => `Editar ${name}`,
    editTitle: "Editar señal",
  },
  en: {
    list: "Streams in their order",
    add: "Add stream",
    address: "Address",
    label: "Label",
    headers: "Headers",
    saveNew: "Add",
    save: "Save streams",
    link: /^Channel streams/,
    title: (title: string) => `Streams of “${title}”`,
    header: "1 header",
    move: (name: string) => `Move ${name}`,
    moved: (name: string, place: number, count: number) => `${name}: place ${place} of ${count}`,
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    stay: "Keep editing",
    auto: "The first that is not down",
    saved: (title: string) => `Streams of “${title}” saved`,
    played: "Players get this one",
    edit: (name: string) => `Edit ${name}`,
    editTitle: "Edit stream",
  },
} as const;
type Words = (typeof words)[Language];

const labels = (page: Page, w: Words) =>
  page.getByRole("list", { name: w.list }).getByRole("listitem").locator("strong").allTextContents();

async function add(page: Page, w: Words, name: string, headers?: string) {
  await page.getByRole("button", { name: w.add }).click();
  const dialog = page.getByRole("dialog", { name: w.add });
  await dialog.getByRole("textbox", { name: w.address, exact: true }).fill(address(name));
  await dialog.getByRole("textbox", { name: w.label }).fill(name);
  if (headers) await dialog.getByRole("textbox", { name: w.headers }).fill(headers);
  await dialog.getByRole("button", { name: w.saveNew, exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
}

const save = (page: Page, w: Words) => page.getByRole("button", { name: w.save }).click();

test.each(flowLanguages)(
  "in %s: streams are added, put in order by keys and by dragging, and saved",
  async (language) => {
    const w = words[language];
    const id = await channel("Canal Siete");
    const page = await open(`/content/tv-channels/${id}/edit`, { language });
    await page.getByRole("link", { name: w.link }).click();
    await page.getByRole("heading", { level: 1, name: w.title("Canal Siete") }).waitFor();
    expect(await labels(page, w)).toEqual(["127.0.0.1:9"]);
    await add(page, w, "reserva", "Referer: https://ejemplo.example/");
    await add(page, w, "tercera");
    await page.getByText(w.header).waitFor();

    // By the keys of its handle: the focus stays on it, and the position is announced.
    const handle = page.getByRole("button", { name: w.move("tercera"), exact: true });
    await handle.focus();
    await page.keyboard.press("ArrowUp");
    await page.getByText(w.moved("tercera", 2, 3)).waitFor({ state: "attached" });
    await expect.poll(() => handle.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await labels(page, w)).toEqual(["127.0.0.1:9", "tercera", "reserva"]);

    // By its button: at the end the other one takes over.
    await page.getByRole("button", { name: w.up("tercera") }).focus();
    await page.keyboard.press("Enter");
    const down = page.getByRole("button", { name: w.down("tercera") });
    await expect.poll(() => down.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await labels(page, w)).toEqual(["tercera", "127.0.0.1:9", "reserva"]);

    // By dragging.
    const rows = page.getByRole("list", { name: w.list }).getByRole("listitem");
    await rows.nth(2).locator(".stream-place").dragTo(rows.nth(0).locator(".stream-place"));
    await expect.poll(() => labels(page, w)).toEqual(["reserva", "tercera", "127.0.0.1:9"]);

    // Leaving requires a confirmation.
    await page.getByRole("link", { name: "Canal Siete" }).click();
    await page.getByRole("button", { name: w.stay }).click();
    await page.getByRole("radio", { name: w.auto }).check();
    await save(page, w);
    await page.getByRole("alert").getByText(w.saved("Canal Siete")).waitFor();
    const saved = await stored(id);
    expect(saved.failover).toBe("AUTO");
    expect(saved.streams.map((stream) => stream.url)).toEqual(["reserva", "tercera", "uno"].map(address));
    const item = await (await page.request.get(`/api/tv-channels/${id}`)).json();
    expect(item.url).toBe(address("reserva"));
    await page.getByText(w.played).waitFor();
    await expectAccessibleInBothSchemes(page, "streams of a channel");

    await page.getByRole("button", { name: w.edit("tercera") }).click();
    await page.getByRole("dialog", { name: w.editTitle }).waitFor();
    await expectAccessible(page, "the form of a stream");
    await page.keyboard.press("Escape");
    for (const { width } of [{ width: 768 }, narrow]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page, `streams of a channel at ${width}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
  },
);

test("what two people changed is merged, or chosen", async () => {
  const w = words.es;
  const id = await channel("Canal Ocho");
  await put(id, "MANUAL", ["uno", "dos"]);
  const page = await open(pathOf(id));
  await page.getByRole("button", { name: w.down("uno") }).click();
  await put(id, "AUTO", ["uno", "dos"]);
  await save(page, w);
  await page.getByText(/Se conservaron también los cambios/).waitFor();
  const merged = await stored(id);
  expect([merged.failover, ...merged.streams.map(({ label }) => label)]).toEqual(["AUTO", "dos", "uno"]);

  await page.getByRole("button", { name: w.down("dos") }).click();
  await put(id, "AUTO", ["dos", "uno", "tres"]);
  await save(page, w);
  const dialog = page.getByRole("dialog", { name: "Alguien lo cambió antes que tú" });
  await expectAccessible(page, "a conflict of streams");
  await dialog.getByRole("radio", { name: "Lo de la otra persona" }).check();
  await dialog.getByRole("button").last().click();
  await dialog.waitFor({ state: "hidden" });
  await expect.poll(() => labels(page, w)).toEqual(["dos", "uno", "tres"]);
});
