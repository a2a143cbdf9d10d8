// A first list to channels on the screen; a refresh with a rename, a change of one's own and an ignored entry; a source with
// a bad day. In both languages, all but the spare stream.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectPath,
  flowLanguages,
  narrow,
  nightly,
  pagesOfOneBrowser,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    create: "Crear fuente",
    title: "Título",
    address: "Dirección",
    read: "Leer ahora",
    upload: "Archivo de la lista",
    apply: "Aplicar",
    dialog: "Aplicar a los canales",
    added: "3 añadidos",
    close: "Cerrar",
    new: "Nueva",
    ignore: (name: string) => `Ignorar ${name}`,
    two: "2 añadidos",
    own: "Cambiado a mano: se queda como está",
    html: "Es una página web, no una lista",
    status: "El servidor respondió con un error (HTTP 503)",
    empty: "La lista está vacía",
    nothingChanged: "No se cambió nada",
    applyOne: (name: string) => `Aplicar ${name}`,
    replace: /valores de la lista/,
  },
  en: {
    create: "Create source",
    title: "Title",
    address: "Address",
    read: "Read now",
    upload: "Playlist file",
    apply: "Apply",
    dialog: "Apply to the channels",
    added: "3 added",
    close: "Close",
    new: "New",
    ignore: (name: string) => `Ignore ${name}`,
    two: "2 added",
    own: "Changed by hand: it is kept as it is",
    html: "It is a web page, not a playlist",
    status: "The server answered with an error (HTTP 503)",
    empty: "The playlist is empty",
    nothingChanged: "Nothing was changed",
    applyOne: (name: string) => `Apply ${name}`,
    replace: /playlist’s values/,
  },
} as const;

const entries = [
  '#EXTINF:-1 tvg-id="siete" group-title="Noticias",Siete\nhttp://tv.example/7.m3u8',
  '#EXTINF:-1 group-title="Cine",Ocho\nhttp://tv.example/8.m3u8',
  '#EXTINF:-1 group-title="Cine",Nueve\nhttp://tv.example/9.m3u8',
];
const listOf = (...some: string[]) => ["#EXTM3U", ...some, ""].join("\n");

/** What the source answers. */
let answer = { status: 200, body: listOf(...entries) };
let server: Server;
let address = "";

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lista.m3u`;
});

afterAll(() => {
  server.close();
});

async function newCategory(): Promise<number> {
  const name = `Listas ${Date.now()}`;
  const body = { description: name, englishDescription: `${name} en`, type: "TV_CHANNEL" };
  return (await create(await clientOf(), "categories", body)).id;
}

async function titles(page: Page): Promise<string[]> {
  const answer = await page.request.get("/api/tv-channels?_sort=channelNumber");
  return ((await answer.json()).content as { title: string }[]).map(({ title }) => title);
}

test.each(flowLanguages)("a first list becomes channels (%s)", async (language) => {
  answer = { status: 200, body: listOf(...entries, "#EXTINF:-1,Sin dirección") };
  const w = words[language];
  await without(await clientOf(), "tv-channels");
  const category = await newCategory();
  const page = await open("/content/playlists", { language });
  await page.getByRole("link", { name: w.create }).first().click();
  // The list behind it has a search by title.
  await page.getByRole("heading", { name: w.create }).waitFor();
  await page.getByLabel(w.title).fill(`Proveedor ${language}`);
  await page.getByLabel(w.address).fill(address);
  await page.getByRole("button", { name: w.create }).click();
  const id = /\/content\/playlists\/(\d+)$/;
  await expectPath(page, id);
  const source = `playlist-sources/${id.exec(page.url())?.[1]}`;
  await page.request.patch(`/api/${source}`, { data: { defaultCategoryId: category } });
  await page.getByRole("button", { name: w.read }).click();
  await page.getByText("Ocho", { exact: true }).waitFor();
  await expectAccessibleInBothSchemes(page, "what a list holds");
  expect(await titles(page), "nothing changes by reading").toEqual([]);
  await page.getByRole("checkbox").first().check();
  await page.getByRole("button", { name: w.apply, exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: w.dialog });
  // It gets its name a moment after it is there.
  await dialog.waitFor();
  await expectAccessible(page, "the question before a list is applied");
  await dialog.getByRole("button", { name: w.apply, exact: true }).click();
  await dialog.getByText(w.added).waitFor();
  await dialog.getByRole("button", { name: w.close }).last().click();
  expect(await titles(page)).toEqual(["Siete", "Ocho", "Nueve"]);
});

test.runIf(nightly)("an entry becomes a spare stream of a channel, and brings its new address", async () => {
  const reserve = "#EXTINF:-1,Siete de reserva\nhttp://reserva.example/7.m3u8?token=a";
  answer = { status: 200, body: listOf(reserve) };
  const client = await clientOf();
  await without(client, "tv-channels");
  const channel = { title: "Siete", channelNumber: 7, urlType: "EXTERNAL", url: "http://tv.example/7.m3u8" };
  const { id } = await create(client, "tv-channels", { ...channel, categories: [await newCategory()] });
  const source = await create(client, "playlist-sources", { title: "Reservas", url: address });
  const page = await open(`/content/playlists/${source.id}`);
  await page.getByRole("button", { name: "Leer ahora" }).click();
  await page.getByRole("button", { name: "Añadir «Siete de reserva» a las señales de un canal" }).click();
  const dialog = page.getByRole("dialog", { name: "Señal de «Siete de reserva»" });
  await dialog.getByRole("combobox", { name: "Canal" }).fill("siete");
  await page.getByRole("option", { name: "7 · Siete" }).click();
  await expectAccessibleInBothSchemes(page, "the channel of a stream is chosen");
  await dialog.getByRole("button", { name: "Añadir a un canal" }).click();
  await dialog.getByText("Terminado. Se puede deshacer durante 24 horas.").waitFor();
  await dialog.getByRole("button", { name: "Cerrar" }).last().click();

  answer = { status: 200, body: listOf(reserve.replace("token=a", "token=b")) };
  await page.getByRole("button", { name: "Leer ahora" }).click();
  await page.getByRole("button", { name: "Aplicar Siete de reserva" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Aplicar", exact: true }).click();
  await page.getByRole("dialog").getByText("Terminado. Se puede deshacer durante 24 horas.").waitFor();
  await page.goto(`/content/tv-channels/${id}/streams`);
  await page.getByText("De la lista «Reservas»").waitFor();
  const streams = await (await page.request.get(`/api/tv-channels/${id}/streams`)).json();
  expect(streams.streams.map(({ url }: { url: string }) => url)).toEqual([
    "http://tv.example/7.m3u8",
    "http://reserva.example/7.m3u8?token=b",
  ]);
});

test.each(flowLanguages)(
  "a refresh shows a rename, keeps a change of one's own, and never takes what is ignored (%s)",
  async (language) => {
    const w = words[language];
    answer = { status: 200, body: listOf(...entries) };
    const client = await clientOf();
    await without(client, "tv-channels");
    const category = await newCategory();
    const draft = { title: `Refresco ${language}`, url: address, defaultCategoryId: category };
    const { id } = await create(client, "playlist-sources", draft);
    const page = await open(`/content/playlists/${id}`, { language });
    await page.getByRole("button", { name: w.read }).click();
    await page.getByText("Nueve", { exact: true }).waitFor();
    await page.getByRole("button", { name: w.ignore("Nueve") }).click();
    await page.getByText("Nueve", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: w.apply, exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: w.dialog });
    await dialog.getByRole("button", { name: w.apply, exact: true }).click();
    await dialog.getByText(w.two).waitFor();
    await dialog.getByRole("button", { name: w.close }).last().click();
    const channels = await page.request.get("/api/tv-channels?search=Siete");
    const [siete] = (await channels.json()).content as { id: number }[];
    await page.request.patch(`/api/tv-channels/${siete?.id}`, { data: { title: "Mi siete" } });

    const renamed = entries.map((entry) => entry.replace(",Siete", ",Siete HD").replace(",Ocho", ",Ocho HD"));
    answer = { status: 200, body: listOf(...renamed) };
    await page.getByRole("button", { name: w.read }).click();
    await page.getByText("Ocho HD").first().waitFor();
    await page.getByText(w.own).waitFor();
    expect(await page.getByText("Nueve", { exact: true }).count()).toBe(0);
    for (const width of nightly ? [768, narrow.width] : [narrow.width]) {
      const other = await open(`/content/playlists/${id}`, { language, width });
      await other.getByText("Ocho HD").first().waitFor();
      await expectAccessible(other, `what a list holds, ${width} px`);
    }

    for (const [status, body, reason] of [
      [200, "<html>502</html>", w.html],
      [503, "", w.status],
      [200, listOf(), w.empty],
    ] as const) {
      answer = { status, body };
      await page.getByRole("button", { name: w.read }).click();
      await page.getByRole("alert").getByText(reason).waitFor();
    }
    await page.getByText(w.nothingChanged).waitFor();
    expect(await titles(page)).toEqual(["Mi siete", "Ocho"]);

    await page.getByRole("button", { name: w.applyOne("Siete HD") }).click();
    await dialog.getByRole("checkbox", { name: w.replace }).check();
    await expectAccessibleInBothSchemes(page, "an edited field gets the value of the list");
    await dialog.getByRole("button", { name: w.apply, exact: true }).click();
    await expect.poll(() => titles(page)).toEqual(["Siete HD", "Ocho"]);
  },
);
