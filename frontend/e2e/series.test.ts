// A series from the film database: the show, a whole season at once, and one of its episodes edited by hand.
import { beforeEach, describe, expect, test } from "vitest";
import { addLink, choose, dismissToast, field, heading, lookUp, turnOff } from "./screens";
import { clientOf, expectGone, expectPath, flowLanguages, pagesOfOneBrowser, without } from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();

beforeEach(async () => without(await clientOf(), "tv-shows"));

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];
  const s = w.series;

  test("a series is looked up, gets a season, and one of its episodes is edited", async () => {
    const page = await open("/content/tv-shows", { language });
    const episodes = page.getByRole("list", { name: s.episodes });
    const episode = (name: string) =>
      episodes.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });
    const shown = (text: string) => page.getByRole("status").filter({ hasText: text });

    await page.getByRole("link", { name: s.create }).click();
    await lookUp(page, "tt0903747", w);
    await expect
      .poll(() => field(page, w.fields.title).inputValue(), { timeout: 15_000 })
      .toBe("Breaking Bad");
    expect(await field(page, w.fields.year).inputValue()).toBe("2008");
    await choose(page, w.fields.category, s.category);
    await page.getByRole("button", { name: s.create, exact: true }).click();

    // A new one leads to its episodes.
    await dismissToast(page, s.created, w);
    await expectPath(page, /^\/content\/tv-shows\/\d+\/episodes$/);
    await heading(page, "Breaking Bad").waitFor();
    await page.getByText(s.none).waitFor();

    const dialog = page.getByRole("dialog", { name: s.import });
    const importSeason = async (season: number) => {
      await page.getByRole("button", { name: s.import, exact: true }).click();
      await field(dialog, s.season).fill(String(season));
      await dialog.getByRole("button", { name: s.find }).click();
      await dialog.getByRole("group", { name: s.found(season) }).waitFor();
    };
    await importSeason(1);
    for (const name of ["S1E1: Pilot", "S1E2: Cat's in the Bag...", "S1E3: ...And the Bag's in the River"])
      expect(await dialog.getByRole("checkbox", { name, exact: true }).isChecked()).toBe(true);
    await field(dialog, s.pattern).fill("https://cdn.example.com/bb/s{season:2}e{episode:2}.m3u8");
    await dialog.getByText("https://cdn.example.com/bb/s01e01.m3u8", { exact: true }).waitFor();
    await choose(dialog, w.links.audio, w.values.english);
    // The third one's length is not known over there.
    await field(dialog, s.minutes).fill("48");
    await dialog.getByRole("button", { name: s.submitImport(3), exact: true }).click();
    await dismissToast(page, s.imported(3), w);
    await expectGone(dialog);
    await shown(s.count(3)).waitFor();
    await episode("S1E1: Pilot").getByText("58 min", { exact: true }).waitFor();
    await episode("S1E3: ...And the Bag's in the River").getByText("48 min", { exact: true }).waitFor();

    // Once more: what is there already is marked, and nothing is left to create.
    await importSeason(1);
    expect(await dialog.getByText(s.exists, { exact: true }).count()).toBe(3);
    expect(await dialog.getByRole("checkbox", { name: "S1E1: Pilot", exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await expectGone(dialog);
    await importSeason(2);
    // Address and languages are those of the last import.
    expect(await field(dialog, s.pattern).inputValue()).toContain("{season:2}e{episode:2}");
    await dialog.getByRole("button", { name: s.submitImport(1), exact: true }).click();
    await dismissToast(page, s.imported(1), w);
    await shown(s.count(4)).waitFor();

    // By season, and by words or a number; both are in the address.
    const season = field(page, s.season);
    const search = page.getByRole("searchbox", { name: s.search });
    await season.selectOption(s.seasonNumber(2));
    await shown(s.shown(1, 4)).waitFor();
    await episode("S2E1: Seven Thirty-Seven").waitFor();
    expect(await episodes.getByRole("listitem").count()).toBe(1);
    await search.fill("bag");
    await page.getByText(s.nothingFound).waitFor();
    await season.selectOption(s.seasonNumber(1));
    await shown(s.shown(2, 4)).waitFor();
    expect(new URL(page.url()).searchParams.get("search")).toBe("bag");
    await search.fill("3");
    await shown(s.shown(1, 4)).waitFor();
    await episode("S1E3: ...And the Bag's in the River").waitFor();
    await search.fill("zzz");
    await page.getByRole("button", { name: s.clear }).click();
    await shown(s.count(4)).waitFor();

    // One of them by hand: another title, another link, and the first link off once all is saved.
    await episode("S1E1: Pilot").getByRole("link", { name: "S1E1: Pilot", exact: true }).click();
    await heading(page, s.editTitle).waitFor();
    const first = "https://cdn.example.com/bb/s01e01.m3u8";
    await field(page, w.fields.title).fill("Piloto");
    await page.getByRole("button", { name: s.turnOffLink(first) }).click();
    await page.getByRole("button", { name: s.turnOnLink(first) }).waitFor();
    const id = Number(new URL(page.url()).searchParams.get("episode"));
    const stored = async () => (await page.request.get(`/api/episodes/${id}`)).json();
    expect(await stored()).toMatchObject({ title: "Pilot", links: [{ url: first, active: true }] });
    await addLink(
      page,
      {
        url: "https://cdn.example.com/bb/piloto-es.m3u8",
        quality: w.values.fullHd,
        audio: [w.values.spanish],
        subtitles: [w.values.spanish],
      },
      w,
    );
    await page.getByRole("button", { name: s.submitEdit }).click();
    await dismissToast(page, w.movies.saved("S1E1: Piloto"), w);
    await episode("S1E1: Piloto").waitFor();
    expect(await stored()).toMatchObject({
      title: "Piloto",
      imdbId: "tt0959621",
      airDate: "2008-01-20",
      links: [
        { url: first, active: false },
        { url: "https://cdn.example.com/bb/piloto-es.m3u8", active: true, audioLanguages: ["SPANISH"] },
      ],
    });

    // The host of a whole season is another one at once.
    await season.selectOption(s.seasonNumber(1));
    await page.getByRole("checkbox", { name: s.selectAll }).check();
    await page.getByRole("region", { name: s.selection }).getByRole("button", { name: s.change }).click();
    const bulk = page.getByRole("dialog");
    await choose(bulk, s.what, s.replaceInLinks);
    await field(bulk, s.searchedText).fill("cdn.example.com");
    await field(bulk, s.replacement).fill("cdn2.example.com");
    await bulk.getByRole("button", { name: s.preview }).click();
    await bulk.getByRole("button", { name: s.runChange(3) }).click();
    await bulk.getByText(s.done).waitFor();
    expect((await stored()).links[0].url).toBe(first.replace("cdn.", "cdn2."));
    await bulk.getByRole("button", { name: s.close }).last().click();
    await season.selectOption("0");

    // Off where it stands, and still off after asking the server again.
    const toggle = page.getByRole("switch", { name: w.movies.toggle("S1E1: Piloto") });
    await turnOff(page, toggle);
  });
});
