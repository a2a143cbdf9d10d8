// The streams of a channel on the screen: added, put in another order by keys and by dragging, saved, and saved by two.
import { expect, test } from "vitest";
import {
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  narrow,
  pagesOfOneBrowser,
  url,
  without,
} from "./support";

const open = pagesOfOneBrowser();

type Page = Awaited<ReturnType<typeof open>>;

interface Streams {
  failover: string;
  streams: { urlType: string; url: string; label: string | null }[];
}

/** Nobody answers there: the links go down one day, not while the test looks. */
const address = (name: string) => `http://127.0.0.1:9/${name}.ts`;

async function channel(page: Page, title: string): Promise<number> {
  const name = `Señales ${title} ${Date.now()}`;
  const category = await create(page, "categories", {
    description: name,
    englishDescription: `${name} en`,
    type: "TV_CHANNEL",
  });
  const { id } = await create(page, "tv-channels", {
    channelNumber: 7,
    title,
    categories: [category.id],
    urlType: "EXTERNAL",
    url: address("uno"),
  });
  return id;
}

const pathOf = (id: number) => `/content/tv-channels/${id}/streams`;

async function stored(page: Page, id: number): Promise<Streams> {
  return (await (await page.request.get(`/api/tv-channels/${id}/streams`)).json()) as Streams;
}

async function put(page: Page, id: number, failover: string, names: string[]) {
  const streams = names.map((name) => ({ urlType: "EXTERNAL", url: address(name), label: name }));
  const answer = await page.request.put(`/api/tv-channels/${id}/streams`, {
    headers: { origin: url },
    data: { failover, streams },
  });
  expect(answer.status(), await answer.text()).toBe(200);
}

const labels = (page: Page) =>
  page
    .getByRole("list", { name: "Señales en su orden" })
    .getByRole("listitem")
    .locator("strong")
    .allTextContents();

async function add(page: Page, name: string, headers?: string) {
  await page.getByRole("button", { name: "Añadir señal" }).click();
  const dialog = page.getByRole("dialog", { name: "Añadir señal" });
  await dialog.getByRole("textbox", { name: "Dirección", exact: true }).fill(address(name));
  await dialog.getByRole("textbox", { name: "Nombre" }).fill(name);
  if (headers) await dialog.getByRole("textbox", { name: "Cabeceras" }).fill(headers);
  await dialog.getByRole("button", { name: "Añadir", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
}

const save = (page: Page) => page.getByRole("button", { name: "Guardar señales" }).click();

test("streams are added, put in order by keys and by dragging, and saved", async () => {
  const page = await open("/content/tv-channels");
  await without(page, "tv-channels");
  const id = await channel(page, "Canal Siete");
  await page.goto(`/content/tv-channels/${id}/edit`);
  await page.getByRole("link", { name: /^Señales del canal/ }).click();
  await page.getByRole("heading", { level: 1, name: "Señales de «Canal Siete»" }).waitFor();
  expect(await labels(page)).toEqual(["127.0.0.1:9"]);
  await add(page, "reserva", "Referer: https://ejemplo.example/");
  await add(page, "tercera");
  await page.getByText("1 cabecera").waitFor();

  // By the keys of its handle: the focus stays on it, and the place is said.
  const handle = page.getByRole("button", { name: "Mover tercera" });
  await handle.focus();
  await page.keyboard.press("ArrowUp");
  await page.getByText("tercera: posición 2 de 3").waitFor({ state: "attached" });
  await expect.poll(() => handle.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await labels(page)).toEqual(["127.0.0.1:9", "tercera", "reserva"]);

  // By its button: at the end the other one takes over.
  await page.getByRole("button", { name: "Subir tercera" }).focus();
  await page.keyboard.press("Enter");
  const down = page.getByRole("button", { name: "Bajar tercera" });
  await expect.poll(() => down.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await labels(page)).toEqual(["tercera", "127.0.0.1:9", "reserva"]);

  // By dragging.
  const rows = page.getByRole("list", { name: "Señales en su orden" }).getByRole("listitem");
  await rows.nth(2).locator(".stream-place").dragTo(rows.nth(0).locator(".stream-place"));
  await expect.poll(() => labels(page)).toEqual(["reserva", "tercera", "127.0.0.1:9"]);

  // Leaving requires a confirmation.
  await page.getByRole("link", { name: "Canal Siete" }).click();
  await page.getByRole("button", { name: "Seguir editando" }).click();
  await page.getByRole("radio", { name: "La primera que no esté caída" }).check();
  await save(page);
  await page.getByRole("alert").getByText("Señales de «Canal Siete» guardadas").waitFor();
  const saved = await stored(page, id);
  expect(saved.failover).toBe("AUTO");
  expect(saved.streams.map((stream) => stream.url)).toEqual(["reserva", "tercera", "uno"].map(address));
  const item = await (await page.request.get(`/api/tv-channels/${id}`)).json();
  expect(item.url).toBe(address("reserva"));
  await page.getByText("La reciben los reproductores").waitFor();
  await expectAccessibleInBothSchemes(page, "streams of a channel");

  await page.getByRole("button", { name: "Editar tercera" }).click();
  await page.getByRole("dialog", { name: "Editar señal" }).waitFor();
  await expectAccessible(page, "the form of a stream");
  await page.keyboard.press("Escape");
  for (const { width } of [{ width: 768 }, narrow]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page, `streams of a channel at ${width}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  }
});

test("what two people changed is merged, or chosen", async () => {
  const page = await open("/content/tv-channels");
  await without(page, "tv-channels");
  const id = await channel(page, "Canal Ocho");
  await put(page, id, "MANUAL", ["uno", "dos"]);
  await page.goto(pathOf(id));
  await page.getByRole("button", { name: "Bajar uno" }).click();
  await put(page, id, "AUTO", ["uno", "dos"]);
  await save(page);
  await page.getByText(/Se conservaron también los cambios/).waitFor();
  const merged = await stored(page, id);
  expect([merged.failover, ...merged.streams.map(({ label }) => label)]).toEqual(["AUTO", "dos", "uno"]);

  await page.getByRole("button", { name: "Bajar dos" }).click();
  await put(page, id, "AUTO", ["dos", "uno", "tres"]);
  await save(page);
  const dialog = page.getByRole("dialog", { name: "Alguien lo cambió antes que tú" });
  await expectAccessible(page, "a conflict of streams");
  await dialog.getByRole("radio", { name: "Lo de la otra persona" }).check();
  await dialog.getByRole("button").last().click();
  await dialog.waitFor({ state: "hidden" });
  await expect.poll(() => labels(page)).toEqual(["dos", "uno", "tres"]);
});
