import { beforeEach, describe, expect, test } from "vitest";
import {
  addLink,
  choose,
  dismissToast,
  field,
  heading,
  lookUp,
  lookupField,
  row,
  search,
  signIn,
  turnOff,
} from "./screens";
import {
  clientOf,
  expectGone,
  expectPath,
  flowLanguages,
  type Language,
  nightly,
  pagesOfOneBrowser,
  withoutMovies,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();

beforeEach(async () => withoutMovies(await clientOf()));

/** What each language's flow is reported to do with the film. */
const stories = {
  es: { newTitle: "Matrix: la elección", wordsWithoutAccents: ["ficcion", "eleccion"] },
  en: { newTitle: "The Matrix (1999)", wordsWithoutAccents: ["science fic", "1999"] },
} satisfies Record<Language, { newTitle: string; wordsWithoutAccents: [string, string] }>;

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];
  const { newTitle, wordsWithoutAccents } = stories[language];

  test("a film is looked up, completed, saved, found, turned off, edited and deleted", async () => {
    const page = await open("/login", { signedIn: false, language });
    await signIn(page, undefined, language);

    // By the menu to the list, and from there to a new film.
    await page.getByRole("button", { name: w.menus.contents }).click();
    await page.getByRole("menuitem", { name: w.movies.page }).click();
    await heading(page, w.movies.page).waitFor();
    await page.getByRole("link", { name: w.movies.create }).click();

    await lookUp(page, "tt0133093", w);
    await expect.poll(() => field(page, w.fields.title).inputValue(), { timeout: 15_000 }).toBe("The Matrix");
    expect(await field(page, w.fields.imdbId).inputValue()).toBe("tt0133093");
    expect(await field(page, w.fields.year).inputValue()).toBe("1999");
    expect(await field(page, w.fields.duration).inputValue()).toBe("136");
    expect(await field(page, w.fields.rating).inputValue()).toBe(w.rating);
    expect(await field(page, w.fields.actors).inputValue()).toContain("Carrie-Anne Moss");
    expect(await field(page, w.fields.englishSynopsis).inputValue()).toContain("simulation");
    expect(await field(page, w.fields.cover).inputValue()).toBe(
      "https://images.example.com/posters/the-matrix.jpg",
    );
    await page.getByText(w.values.action, { exact: true }).first().waitFor();
    await page.getByText(w.values.sciFi, { exact: true }).first().waitFor();

    // What is missing is named at the fields.
    const submit = page.getByRole("button", { name: w.movies.create, exact: true });
    await submit.click();
    await page.getByText(w.required.category, { exact: true }).waitFor();
    await page.getByText(w.required.classification, { exact: true }).first().waitFor();
    await page.getByText(w.links.atLeastOne, { exact: true }).waitFor();

    await choose(page, w.fields.classification, w.values.restricted);
    await choose(page, w.fields.category, w.values.category);
    await addLink(
      page,
      {
        url: "https://cdn.example.com/movies/the-matrix/1080.m3u8",
        quality: w.values.fullHd,
        audio: [w.values.spanish, w.values.english],
        subtitles: [w.values.spanish],
      },
      w,
    );
    await addLink(
      page,
      {
        url: "https://cdn.example.com/movies/the-matrix/2160.m3u8",
        quality: w.values.ultraHd,
        audio: [w.values.english],
      },
      w,
    );
    await page.getByText("https://cdn.example.com/movies/the-matrix/2160.m3u8", { exact: true }).waitFor();
    await expectGone(page.getByText(w.links.atLeastOne, { exact: true }));

    // Saved once, and back at the look-up for the next one.
    await submit.dblclick();
    await dismissToast(page, w.movies.created("The Matrix"), w);
    await field(page, w.lookup.label).waitFor();
    expect(await field(page, w.lookup.label).inputValue()).toBe("");

    await page.goto("/content/movies");
    await page.getByText(w.list.showing(1, 1, 1)).waitFor();
    for (const text of ["matrix", wordsWithoutAccents[0]]) {
      await search(page, "zzz", w);
      await page.getByText(w.list.nothingFound).waitFor();
      await search(page, text, w);
      await row(page, "The Matrix").waitFor();
      expect(new URL(page.url()).searchParams.get("search")).toBe(text);
    }

    // Off, and still off after asking the server again.
    const toggle = page.getByRole("switch", { name: w.movies.toggle("The Matrix") });
    expect(await toggle.isChecked()).toBe(true);
    await turnOff(page, toggle);

    await page.getByRole("link", { name: w.movies.edit("The Matrix") }).click();
    await heading(page, w.movies.editTitle("The Matrix")).waitFor();
    await expect.poll(() => page.locator(".link-row").count()).toBe(2);
    await field(page, w.fields.title).fill(newTitle);
    await page.getByRole("button", { name: w.movies.save }).click();
    await dismissToast(page, w.movies.saved(newTitle), w);
    await expectPath(page, "/content/movies");
    // Back where it was left: the search is still there.
    expect(await page.getByRole("searchbox", { name: w.movies.search }).inputValue()).toBe(
      wordsWithoutAccents[0],
    );
    await search(page, wordsWithoutAccents[1], w);
    await row(page, newTitle).waitFor();

    // The safe choice does nothing, the other what it says.
    await page.getByRole("button", { name: w.movies.delete(newTitle) }).click();
    const question = page.getByRole("dialog");
    await question.getByText(w.movies.willDelete(newTitle, 2)).waitFor();
    await page.keyboard.press("Enter");
    await expectGone(question);
    await row(page, newTitle).waitFor();

    await page.getByRole("button", { name: w.movies.delete(newTitle) }).click();
    await question.getByRole("button", { name: w.common.delete, exact: true }).click();
    await dismissToast(page, w.movies.deleted(newTitle), w);
    await page.getByText(w.list.nothingFound).waitFor();
    const left = await page.request.get("/api/movies");
    expect(await left.json()).toMatchObject({ totalElements: 0 });
  });
});

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test.runIf(nightly)("the film database's refusals are reported at the look-up", async () => {
    const page = await open("/content/movies/create", { language });
    for (const [id, message] of [
      ["tt9999999", w.lookup.notFound],
      ["tt0903747", w.lookup.notAMovie],
      ["tt2140553", w.lookup.notAMovie],
    ] as const) {
      await lookUp(page, id, w);
      await page.getByText(message).waitFor();
      await field(page, w.lookup.label).press("End");
      await page.keyboard.type("0");
      await expectGone(page.getByText(message));
    }
    // If the look-up fails, the form can be filled in manually.
    for (const id of ["tt0000429", "tt0000500", "tt0000503", "tt0000001", "tt0000002", "tt0000003"]) {
      await lookUp(page, id, w);
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").innerText()).not.toMatch(/undefined|null|\{\{|<html|gRPC/i);
      await field(page, w.lookup.label).fill("");
      await expectGone(page.getByRole("alert"));
    }
    await page.getByRole("button", { name: w.lookup.manual }).click();
    expect(await field(page, w.fields.title).inputValue()).toBe("");
    await page.getByRole("button", { name: w.lookup.again }).click();
    await lookupField(page, w).waitFor();
  });
});

test.runIf(nightly)(
  "a genre without match is left out and shown as a notice; Music becomes Musical",
  async () => {
    const w = words.es;
    const page = await open("/content/movies/create");
    await lookUp(page, "tt0036775", w);
    await page.getByText(/Film-Noir/).waitFor();
    expect(await field(page, w.fields.title).inputValue()).toBe("Double Indemnity");

    await page.getByRole("button", { name: w.lookup.again }).click();
    await lookUp(page, "https://www.imdb.com/title/tt2582802/", w);
    await expect.poll(() => field(page, w.fields.title).inputValue()).toBe("Whiplash");
    await page.getByText("Musical", { exact: true }).first().waitFor();
    expect(await page.getByText(/Film-Noir/).count()).toBe(0);
  },
);

test.runIf(nightly)("an announced film, of which hardly anything is known, fills what there is", async () => {
  const w = words.es;
  const page = await open("/content/movies/create");
  await lookUp(page, "32328070", w);
  await expect
    .poll(() => field(page, w.fields.title).inputValue())
    .toBe("The Lord of the Rings: The Hunt for Gollum");
  expect(await field(page, w.fields.year).inputValue()).toBe("2027");
  for (const empty of [w.fields.duration, w.fields.rating, w.fields.actors, w.fields.cover])
    expect(await field(page, empty).inputValue()).toBe("");
});

test("leaving a form with changes requests once", async () => {
  const w = words.es;
  const page = await open("/content/movies/create");
  await page.getByRole("button", { name: w.lookup.manual }).click();
  await field(page, w.fields.title).fill("Una película a medias");
  await page.getByRole("button", { name: w.common.cancel }).click();
  const question = page.getByRole("dialog", { name: "¿Salir sin guardar?" });
  await question.getByRole("button", { name: "Seguir editando" }).click();
  await expectGone(question);
  expect(await field(page, w.fields.title).inputValue()).toBe("Una película a medias");
  await page.getByRole("button", { name: w.common.cancel }).click();
  await question.getByRole("button", { name: "Salir sin guardar" }).click();
  await expectPath(page, "/content/movies");
});
