// A review of guides by keyboard, on a phone by buttons, and by two people at once; in both languages.
import { expect, test } from "vitest";
import { guideOf } from "./guides";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  flowLanguages,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  without,
} from "./support";
import { register } from "./users";

const open = pagesOfOneBrowser();

const words = {
  es: {
    card: (number: number, title: string) => `${number} ${title}`,
    accept: (name: string, title: string) => `Aceptar «${name}» para «${title}»`,
    done: (title: string, name: string) => `«${title}» es «${name}»`,
    undo: "Deshacer",
    nothing: "Ningún canal espera una decisión.",
    noGuide: (title: string) => `«${title}» no tiene guía`,
    against: "El número es distinto, así que es otro canal",
    now: (title: string) => `Ahora: Ahora en ${title}`,
    many: "Aceptar varios",
    decided: (user: string) => `${user} ya ha decidido`,
    close: "Cerrar",
  },
  en: {
    card: (number: number, title: string) => `${number} ${title}`,
    accept: (name: string, title: string) => `Accept “${name}” for “${title}”`,
    done: (title: string, name: string) => `“${title}” is “${name}”`,
    undo: "Undo",
    nothing: "No channels are waiting for a decision.",
    noGuide: (title: string) => `“${title}” has no guide`,
    against: "The number differs, so it is another channel",
    now: (title: string) => `Now: Ahora en ${title}`,
    many: "Accept several",
    decided: (user: string) => `${user} has already decided`,
    close: "Close",
  },
} as const;

const titlesOf = (place: string) => ["Marea", "Marea Azul TV 3", `TV ${place}`];

/** A guide and three channels that need review. Waits until they were compared. */
async function lineUp(place: string) {
  const client = await clientOf();
  const titles = titlesOf(place);
  await without(client, "tv-channels", "tv-guides");
  const name = `Guía ${Date.now()}`;
  const category = await create(client, "categories", {
    description: name,
    englishDescription: `${name} en`,
    type: "TV_CHANNEL",
  });
  const { id } = await create(client, "tv-guides", {
    title: name,
    url: "http://127.0.0.1:9/g.xml",
    active: false,
    gzip: false,
  });
  for (const [index, title] of titles.entries())
    await create(client, "tv-channels", {
      channelNumber: index + 1,
      title,
      tvGuideId: null,
      epgId: null,
      categories: [category.id],
      urlType: "EXTERNAL",
      url: `http://tv.example/${index + 1}.m3u8`,
      active: true,
    });
  // The job does not fetch an inactive guide.
  const uploaded = await client.request.post(`/api/tv-guides/${id}/upload?fileName=g.xml`, {
    headers: { "content-type": "application/octet-stream" },
    data: Buffer.from(guideOf(place)),
  });
  expect(uploaded.status()).toBe(202);
  const fetching = async () =>
    (await (await client.request.get(`/api/tv-guides/${id}/fetching`)).json()).state;
  await expect.poll(fetching, { timeout: 30_000 }).toBe("DONE");
  await client.request.patch(`/api/tv-guides/${id}`, { data: { active: true } });
  await client.request.post("/api/epg-matching/run");
  const waiting = async () => {
    const { content } = await (await client.request.get("/api/epg-matches?level=REVIEW")).json();
    return content.length;
  };
  await expect.poll(waiting, { timeout: 30_000 }).toBe(titles.length);
}

test.each(flowLanguages)("a review by keyboard, with an undo (%s)", async (language) => {
  const w = words[language];
  const place = language === "es" ? "Norte" : "Sierra";
  const titles = titlesOf(place);
  await lineUp(place);
  const page = await open("/content/epg-review", { language });
  const card = (index: number) => page.getByRole("region", { name: w.card(index + 1, titles[index] ?? "") });
  await card(0).getByText(w.now("Marea Roja TV")).waitFor();
  await card(1).getByText(w.against).first().waitFor();
  await expectAccessibleInBothSchemes(page, "the review of guides");

  const isFocused = (name: string) =>
    page.getByRole("button", { name }).evaluate((one) => one === document.activeElement);
  const first = await card(0).locator('[data-place="1"]').getAttribute("aria-label");
  await expect.poll(() => isFocused(first ?? "")).toBe(true);
  // Both are as near: the second is chosen.
  const second = (await card(0).locator('[data-place="2"]').getAttribute("aria-label")) ?? "";
  const chosen = second.includes("Marea Roja TV") ? "Marea Roja TV" : "Marea Azul TV";
  await page.keyboard.press("2");
  await page.getByText(w.done("Marea", chosen)).waitFor();
  await card(0).waitFor({ state: "detached" });
  await page.getByRole("button", { name: w.undo, exact: true }).click();
  await card(0).waitFor();

  await card(1).locator('[data-place="1"]').focus();
  await page.keyboard.press("0");
  await card(1).waitFor({ state: "detached" });
  await expect.poll(() => isFocused(w.accept(`Canal ${place}`, `TV ${place}`))).toBe(true);
  await page.keyboard.press("Enter");
  await card(2).waitFor({ state: "detached" });
  await card(0).locator('[data-place="1"]').focus();
  await page.keyboard.press("x");
  await page.getByText(w.nothing).waitFor();
  const channels = await (await page.request.get("/api/tv-channels?_sort=channelNumber")).json();
  expect(channels.content.map(({ epgId }: { epgId: string | null }) => epgId)).toEqual([null, null, "c12"]);
});

test.runIf(nightly)("on a phone and a tablet the buttons do it", async () => {
  const w = words.es;
  await lineUp("Costa");
  const page = await open("/content/epg-review", { width: 768 });
  for (const width of [768, narrow.width]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole("button", { name: w.accept("Canal Costa", "TV Costa") }).waitFor();
    await expectAccessible(page, `the review of guides at ${width}`);
    const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect(await page.evaluate(isWider), `${width}`).toBe(false);
  }
  await page.getByRole("button", { name: w.noGuide("TV Costa") }).click();
  await page
    .getByRole("button", { name: w.accept("Canal Costa", "TV Costa") })
    .waitFor({ state: "detached" });
  await page.getByRole("button", { name: w.many }).click();
  await page.getByRole("dialog").waitFor();
  await expectAccessible(page, "the acceptance of several");
});

test.each(flowLanguages)(
  "of two people at one review the second sees who decided, and what (%s)",
  async (language) => {
    const w = words[language];
    const place = language === "es" ? "Ribera" : "Vega";
    const first = `decide_${language}`;
    await register(await clientOf(), { username: first, fullName: "Primera", roleCode: "contentManager" });
    await lineUp(place);
    const one = await open("/content/epg-review", { ...light, language, as: first });
    const other = await open("/content/epg-review", { ...light, language });
    const accept = (page: typeof one) =>
      page.getByRole("button", { name: w.accept(`Canal ${place}`, `TV ${place}`) });
    for (const page of [one, other]) await accept(page).waitFor();
    await accept(one).click();
    await one.getByText(w.done(`TV ${place}`, `Canal ${place}`)).waitFor();
    await other.getByRole("button", { name: w.noGuide(`TV ${place}`) }).click();
    const card = other.getByRole("region", { name: w.card(3, `TV ${place}`) });
    await card.getByText(w.decided(first)).waitFor();
    await expectAccessible(other, "a review in which another user has decided");
    const channels = await (await other.request.get("/api/tv-channels?channelNumber=3")).json();
    expect(channels.content[0].epgId).toBe("c12");
  },
);
