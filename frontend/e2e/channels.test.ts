// Channels and radio stations: what their addresses may be, and the base URL that they are put behind.
import { beforeEach, describe, expect, test } from "vitest";
import { choose, dismissToast, field, heading, row, turnOff } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectGone,
  expectPath,
  flowLanguages,
  pagesOfOneBrowser,
  without,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();

beforeEach(async () => without(await clientOf(), "tv-channels", "radio-stations"));

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];
  const c = w.channels;

  test("a channel has a number behind the base URL, then an address of its own", async () => {
    const page = await open("/", { language });
    await page.getByRole("button", { name: w.menus.contents }).click();
    await page.getByRole("menuitem", { name: c.page, exact: true }).click();
    await heading(page, c.page).waitFor();

    // The base URL is set above the list. A value that is not a URL is refused there.
    const base = page.getByRole("region", { name: c.base });
    const baseUrl = `https://live-${language}.example.com/play/`;
    await base.getByRole("button", { name: w.baseUrl.edit }).click();
    await field(base, c.base).fill("no es una dirección");
    await base.getByRole("button", { name: w.baseUrl.save, exact: true }).click();
    await base.getByText(w.baseUrl.refused).waitFor();
    await field(base, c.base).fill(baseUrl);
    await base.getByRole("button", { name: w.baseUrl.save, exact: true }).click();
    await base.getByText(w.baseUrl.saved).waitFor();
    await base.getByText(baseUrl, { exact: true }).waitFor();

    await page.getByRole("link", { name: c.create }).click();
    await heading(page, c.create).waitFor();
    await field(page, w.fields.title).fill("Canal Uno");
    await field(page, c.number).fill("101");
    await choose(page, c.categories, c.national, c.news);
    await choose(page, c.type, c.internal);
    await field(page, c.internalUrl).fill("canal-uno");
    await field(page, c.internalUrl).blur();
    const submit = page.getByRole("button", { name: c.create, exact: true });
    await submit.click();
    await page.getByText(c.notNumeric).first().waitFor();
    await expectPath(page, "/content/tv-channels/create");
    await field(page, c.internalUrl).fill("103451");
    await expectGone(page.getByText(c.notNumeric));
    await page.getByText(`${baseUrl}103451`, { exact: true }).waitFor();
    await submit.click();
    await dismissToast(page, w.movies.created("Canal Uno"), w);
    await expectPath(page, "/content/tv-channels");
    await row(page, "Canal Uno").getByText(c.national, { exact: true }).waitFor();

    // Its address is one of its own from now on; a text that is none has a message of its own.
    await row(page, "Canal Uno").getByRole("link", { name: "Canal Uno", exact: true }).click();
    await heading(page, w.movies.editTitle("Canal Uno")).waitFor();
    expect(await field(page, c.internalUrl).inputValue()).toBe("103451");
    await page.getByText(`${baseUrl}103451`, { exact: true }).waitFor();
    await choose(page, c.type, c.external);
    await field(page, c.externalUrl).fill("104");
    await page.getByRole("button", { name: w.movies.save }).click();
    await page.getByText(c.notAnAddress).first().waitFor();
    expect(await page.getByText(c.notNumeric).count()).toBe(0);
    await field(page, c.externalUrl).fill("rtmp://live.example.com/uno");
    await page.getByRole("button", { name: w.movies.save }).click();
    await dismissToast(page, w.movies.saved("Canal Uno"), w);

    const { content } = await (await page.request.get("/api/tv-channels")).json();
    expect(content).toHaveLength(1);
    const stored = await (await page.request.get(`/api/tv-channels/${content[0].id}`)).json();
    expect(stored).toMatchObject({
      channelNumber: 101,
      urlType: "EXTERNAL",
      url: "rtmp://live.example.com/uno",
    });
    expect(stored.categories).toHaveLength(2);
  });
});

test("a number in use has a warning, and may repeat; repeated numbers can be filtered", async () => {
  const w = words.es;
  const c = w.channels;
  const client = await clientOf();
  const channel = {
    categories: [await categoryId(client, c.national)],
    urlType: "EXTERNAL",
    url: "https://live.example.com/uno.m3u8",
  };
  await create(client, "tv-channels", { ...channel, title: "Canal Uno", channelNumber: 7 });
  await create(client, "tv-channels", { ...channel, title: "Canal Único", channelNumber: 8 });

  const page = await open("/content/tv-channels/create");
  await field(page, w.fields.title).fill("Canal Uno HD");
  await field(page, c.number).fill("7");
  await page.getByText("El número 7 ya lo usa «Canal Uno». Puedes repetirlo.").waitFor();
  await choose(page, c.categories, c.national);
  await field(page, c.externalUrl).fill("https://live.example.com/uno-hd.m3u8");
  await page.getByRole("button", { name: c.create, exact: true }).click();
  await dismissToast(page, w.movies.created("Canal Uno HD"), w);

  await page.goto("/content/tv-channels?duplicated=true");
  await page.getByText(w.list.showing(1, 2, 2)).waitFor();
  await row(page, "Canal Uno").waitFor();
  await row(page, "Canal Uno HD").waitFor();
  expect(await row(page, "Canal Único").count()).toBe(0);
});

test("a radio station is made, shows its first three genres, and is turned off in its row", async () => {
  const w = words.es;
  const r = w.radio;
  const page = await open("/content/radio-stations");
  const base = page.getByRole("region", { name: r.base });
  await base.getByRole("button", { name: w.baseUrl.edit }).click();
  await field(base, r.base).fill("https://radio.example.com/");
  await base.getByRole("button", { name: w.baseUrl.save, exact: true }).click();
  await base.getByText(w.baseUrl.saved).waitFor();
  await base.getByText("https://radio.example.com/", { exact: true }).waitFor();

  await page.getByRole("link", { name: r.create }).click();
  const submit = page.getByRole("button", { name: r.create, exact: true });
  await submit.click();
  for (const message of [r.codeRequired, r.genreRequired, r.streamRequired])
    await page.getByText(message, { exact: true }).first().waitFor();
  await field(page, r.name).fill("Radio Cometa");
  await field(page, r.code).fill("RC-1");
  await field(page, r.country).fill("Uruguay");
  await choose(page, r.genres, "Rock", "Latina", "Músicas del mundo", "Noticias");
  await field(page, r.stream).fill("https://radio.example.com/cometa.mp3");
  await field(page, r.logo).fill("https://images.example.com/logos/cometa.png");
  await submit.click();
  await dismissToast(page, w.movies.created("Radio Cometa"), w);
  await expectPath(page, "/content/radio-stations");

  const station = row(page, "Radio Cometa");
  await station.getByText("Uruguay").waitFor();
  const { content } = await (await page.request.get("/api/radio-stations")).json();
  expect(content[0].genres).toHaveLength(4);
  await station.getByText("Rock", { exact: true }).waitFor();
  await station.getByText("+1", { exact: true }).waitFor();

  const toggle = station.getByRole("switch", { name: w.movies.toggle("Radio Cometa") });
  expect(await toggle.isChecked()).toBe(true);
  await turnOff(page, toggle);
});
