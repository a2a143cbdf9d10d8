// The network fails, or is slow, during work: each step shows an error, nothing is lost, nothing is sent late.
import type { BrowserContext, Locator, Page, Request } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { choose, dismissToast, field, heading, row } from "./screens";
import { casesOf, categoryId, clientOf, create, expectGone, pagesOfOneBrowser, without } from "./support";
import { userWords } from "./userWords";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;
const u = userWords.es;
const networkMessage = "Error de red. Comprueba tu conexión e inténtalo de nuevo.";

const says = (page: Page) => page.getByText(networkMessage, { exact: true }).first().waitFor();

/** Does something without a network, waits until the screen has said so, and brings the network back. */
async function away(page: Page, act: () => Promise<void>) {
  await page.context().setOffline(true);
  await act();
  await says(page);
  const late: string[] = [];
  const watch = (request: Request) => {
    // A quote changes nothing: it is read again as lists are.
    const changes = request.method() !== "GET" && !request.url().endsWith("/credits/quote");
    if (changes && request.url().includes("/api/")) late.push(request.url());
  };
  page.on("request", watch);
  await page.context().setOffline(false);
  // What the browser would send when the network returns, it sends with the event, before anything else is drawn.
  await page.evaluate(
    () => new Promise<void>((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn()))),
  );
  await page.waitForLoadState("networkidle");
  page.off("request", watch);
  expect(late, "sent late").toEqual([]);
}

/** Each call takes 400 ms longer, and every twentieth is lost. */
async function slow(context: BrowserContext) {
  let calls = 0;
  await context.route("**/api/**", async (route) => {
    calls += 1;
    await new Promise((later) => setTimeout(later, 400));
    if (calls % 20 === 0) await route.abort("connectionreset");
    else await route.continue();
  });
}

/** Presses again until what was wanted has happened: some calls are lost. */
async function untilDone(button: Locator, isDone: () => Promise<boolean>) {
  for (let presses = 0; presses < 6; presses += 1) {
    await button.click({ timeout: 5_000 }).catch(() => {});
    const done = await expect
      .poll(isDone, { timeout: 5_000 })
      .toBe(true)
      .then(
        () => true,
        () => false,
      );
    if (done) return;
  }
  expect(await isDone(), "done in the end").toBe(true);
}

/** Waits until the sale was previewed: the call for it may be lost too, and is then sent again on demand. */
async function untilPreviewed(dialog: Locator, send: Locator) {
  const again = dialog.getByRole("button", { name: "Reintentar" });
  const isReady = async () => {
    if (await again.isVisible()) await again.click({ timeout: 2_000 }).catch(() => {});
    return send.getAttribute("aria-disabled");
  };
  await expect.poll(isReady).toBe("false");
}

const read = async (page: Page, path: string) => (await page.request.get(`/api/${path}`)).json();

async function addFilms(count: number) {
  const client = await clientOf();
  const category = await categoryId(client, w.values.category);
  const films: { id: number; title: string }[] = [];
  for (let number = 0; number < count; number += 1)
    films.push(
      await create(client, "movies", {
        title: `Cinta ${String(number + 1).padStart(2, "0")}`,
        year: 2001,
        durationMinutes: 90,
        classification: "PG",
        genres: [],
        categoryId: category,
        links: [
          { quality: "HD", url: `https://cdn.example.com/${number}.m3u8`, audioLanguages: ["SPANISH"] },
        ],
      }),
    );
  return films as [{ id: number; title: string }];
}

const networks: Record<string, (context: BrowserContext) => Promise<void>> = {
  "without a network": async () => {},
  "and slow with losses in between": slow,
};

describe.each(casesOf(networks, ["and slow with losses in between"]))("%s", (name, prepare) => {
  const customer = `red_${name.length}`;
  const fullName = `Cliente ${name}`;
  beforeEach(async () => without(await clientOf(), "movies", "tv-shows"));

  test("a film keeps what is typed, and is saved once", async () => {
    const [film] = await addFilms(1);
    const page = await open(`/content/movies/${film.id}/edit`);
    await prepare(page.context());
    await heading(page, w.movies.editTitle(film.title)).waitFor();
    await field(page, w.fields.title).fill("Cinta nueva");
    const save = page.getByRole("button", { name: w.movies.save, exact: true });
    await away(page, () => save.click());
    expect(await field(page, w.fields.title).inputValue()).toBe("Cinta nueva");
    expect(await read(page, `movies/${film.id}`)).toMatchObject({ title: film.title, version: 1 });
    await untilDone(save, async () => (await read(page, `movies/${film.id}`)).title === "Cinta nueva");
    expect((await read(page, `movies/${film.id}`)).version).toBe(2);
  });

  test("a switch goes back, and a page that can't be read says so and is read on demand", async () => {
    const films = await addFilms(12);
    const page = await open("/content/movies?sort=title");
    await prepare(page.context());
    await row(page, films[0].title).waitFor();
    const toggle = row(page, films[0].title).getByRole("switch");
    expect(await toggle.isChecked()).toBe(true);
    await away(page, async () => {
      await toggle.focus();
      await page.keyboard.press("Space");
    });
    await expect.poll(() => toggle.isChecked()).toBe(true);
    expect(await read(page, `movies/${films[0].id}`)).toMatchObject({ active: true, version: 1 });

    await page.reload();
    await row(page, films[0].title).waitFor();
    await page.context().setOffline(true);
    // Not the next page, which was read in advance when the pointer came near.
    await page.getByRole("button", { name: "Título" }).click();
    await page.getByRole("alert").filter({ hasText: networkMessage }).first().waitFor();
    // By itself, once the network is back.
    await page.context().setOffline(false);
    await row(page, (films as { title: string }[])[11]?.title as string).waitFor();
  });

  test("a sale that was cancelled is not charged, and one that is sent again is charged once", async () => {
    await create(await clientOf(), "users", {
      username: customer,
      fullName,
      email: "red@example.com",
      phoneNumber: "+34 600 123 456",
      password: "1234",
      roleCode: "app",
    });
    const page = await open("/users");
    await prepare(page.context());
    const theirs = row(page, fullName).first();
    await theirs.getByRole("button", { name: u.credits.open(fullName) }).click();
    const dialog = page.getByRole("dialog", { name: u.credits.dialog });
    const send = dialog.getByRole("button", { name: u.credits.add(2) });
    await field(dialog, u.fields.amount).fill("2");
    await untilPreviewed(dialog, send);
    await away(page, () => send.click());
    const credits = async () => (await read(page, `users/${customer}`)).credits;
    expect(await credits()).toBe(0);
    await dialog.getByRole("button", { name: "Cancelar" }).click();
    await page.getByRole("button", { name: "Salir sin guardar" }).click();
    await expectGone(dialog);
    expect(await credits()).toBe(0);

    await theirs.getByRole("button", { name: u.credits.open(fullName) }).click();
    await field(dialog, u.fields.amount).fill("2");
    await untilPreviewed(dialog, send);
    await away(page, () => send.click());
    await untilDone(send, async () => (await credits()) === 2);
    await expectGone(dialog);
    expect(await credits()).toBe(2);
  });

  test("a season that can't be found or stored keeps its dialog, and is stored once", async () => {
    const client = await clientOf();
    const category = await categoryId(client, w.series.category);
    const show = await create(client, "tv-shows", {
      title: "Breaking Bad",
      imdbId: "tt0903747",
      year: 2008,
      genres: [],
      categoryId: category,
    });
    const page = await open(`/content/tv-shows/${show.id}/episodes`);
    await prepare(page.context());
    const s = w.series;
    await page.getByRole("button", { name: s.import, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: s.import });
    await field(dialog, s.season).fill("2");
    const find = dialog.getByRole("button", { name: s.find });
    await away(page, () => find.click());
    const found = dialog.getByRole("group", { name: s.found(2) });
    await untilDone(find, () => found.isVisible());
    await field(dialog, s.pattern).fill("https://cdn.example.com/bb/s{season:2}e{episode:2}.m3u8");
    await choose(dialog, w.links.audio, w.values.english);
    const submit = dialog.getByRole("button", { name: s.submitImport(1), exact: true });
    await away(page, () => submit.click());
    const stored = async () => (await read(page, `tv-shows/${show.id}/episodes`)).totalElements;
    expect(await stored()).toBe(0);
    // Whether the request arrived is not known here: the same one is sent again.
    const again = dialog.getByRole("button", { name: "Reintentar" });
    await untilDone(again, async () => (await stored()) === 1);
    await dismissToast(page, s.imported(1), w);
    expect(await stored()).toBe(1);
  });
});
