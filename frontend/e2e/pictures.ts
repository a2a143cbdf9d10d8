// Pictures of docs/live-tv.md, each with data of its own: `npm run pictures` writes them to docs/images.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { guideTime } from "./guides";
import { type Client, categoryId, clientOf, create, pagesOfOneBrowser } from "./support";

const open = pagesOfOneBrowser();

const images = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "docs", "images");
const size = { width: 1120, height: 640 };

async function show(path: string): Promise<Page> {
  const page = await open(path, { language: "en", width: size.width });
  await page.setViewportSize(size);
  return page;
}

async function take(page: Page, name: string) {
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(images, `live-${name}.png`), animations: "disabled" });
}

/** Uploads a file, and waits until the server has read it. */
async function upload({ request }: Client, to: string, content: string, isRead: () => Promise<boolean>) {
  const answer = await request.post(`/api/${to}/upload?fileName=file`, {
    headers: { "content-type": "application/octet-stream" },
    data: Buffer.from(content),
  });
  expect(answer.status(), await answer.text()).toBe(202);
  await expect.poll(isRead).toBe(true);
}

const channels = {
  "marea.azul": "Marea Azul",
  cumbre: "Cumbre Noticias",
  farola: "Farola",
  quimera: "Quimera Dorada",
  tormo: "Tormo Cine",
  brisa: "Brisa Norte",
};

test("groups of a list with their categories", async () => {
  const client = await clientOf();
  const { id } = await create(client, "playlist-sources", {
    title: "Proveedor de la costa",
    defaultCategoryId: await categoryId(client, "Canales nacionales"),
  });
  const groups = ["Noticias", "Noticias;Regional", "Cine;Noche", "Regional", "Cine", "XXX"];
  const entry = ([guideId, name]: [string, string], index: number) =>
    `#EXTINF:-1 tvg-id="${guideId}" group-title="${groups[index]}",${name}\nhttp://tv.example/${guideId}.m3u8\n`;
  const list = `#EXTM3U\n${Object.entries(channels).map(entry).join("")}`;
  await upload(client, `playlist-sources/${id}`, list, async () => {
    const source = await (await client.request.get(`/api/playlist-sources/${id}`)).json();
    return source.lastRun?.state === "FINISHED";
  });
  const page = await show(`/content/playlists/${id}`);
  await page.getByRole("button", { name: "Categories by group" }).click();
  const dialog = page.getByRole("dialog", { name: "Categories by group" });
  await dialog.getByText("Suggested: it has the same name").first().waitFor();
  await take(page, "groups");
});

const hour = 3_600_000;
const titles = ["Morning", "News", "Kitchen", "Cinema", "Quiz", "Travel", "Music", "Late film"];

/** Programmes of two hours for so many days, so many hours later than another guide has them. */
function guide(ids: readonly (keyof typeof channels)[], days: number, later: number): string {
  const begin = Math.floor(Date.now() / hour) * hour - 2 * hour + later * hour;
  const programmes = (id: keyof typeof channels, place: number) =>
    Array.from({ length: days * 12 }, (_, index) => {
      // One channel is called like its programmes, another one has gaps.
      const title = place === 2 ? channels[id] : `${titles[index % titles.length]} ${place + 1}.${index + 1}`;
      const [start, stop] = [begin + 2 * index * hour, begin + 2 * (index + 1) * hour].map(guideTime);
      return place === 3 && index % 5 === 4
        ? ""
        : `<programme channel="${id}" start="${start}" stop="${stop}"><title>${title}</title></programme>`;
    }).join("");
  const one = (id: keyof typeof channels, place: number) =>
    `<channel id="${id}"><display-name>${channels[id]}</display-name></channel>${programmes(id, place)}`;
  return `<tv>${ids.map(one).join("")}</tv>`;
}

test("how good the guides are", async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Canales nacionales");
  const all = Object.keys(channels) as (keyof typeof channels)[];
  let number = 1;
  for (const { title, ids, days, later, used } of [
    { title: "Guía nacional", ids: all, days: 8, later: 0, used: all.slice(0, 4) },
    { title: "Guía regional", ids: all, days: 2, later: 1, used: all.slice(4) },
  ]) {
    // Inactive until it is read: an active one would be fetched from its address.
    const draft = { title, url: "http://127.0.0.1:9/g.xml", active: false, gzip: false };
    const { id } = await create(client, "tv-guides", draft);
    await upload(client, `tv-guides/${id}`, guide(ids, days, later), async () => {
      const fetching = await (await client.request.get(`/api/tv-guides/${id}/fetching`)).json();
      return fetching.state === "DONE";
    });
    const activated = await client.request.patch(`/api/tv-guides/${id}`, { data: { active: true } });
    expect(activated.status(), await activated.text()).toBe(200);
    for (const epgId of used) {
      const of = { title: channels[epgId], epgId, tvGuideId: id, categories: [category] };
      const address = { urlType: "EXTERNAL", url: `http://tv.example/${epgId}.m3u8` };
      await create(client, "tv-channels", { channelNumber: number++, ...of, ...address });
    }
  }
  const page = await show("/content/guide-health");
  await page.getByRole("listitem").filter({ hasText: "Guía nacional" }).first().waitFor();
  await take(page, "health");
});

test("profiles of players", async () => {
  const client = await clientOf();
  const key = await create(client, "integrator-keys", { name: "Hotel", scopes: ["CATALOGUE_READ"] });
  const categories = [await categoryId(client, "Canales nacionales")];
  for (const profile of [
    { name: "Hotel TVs", categories, order: "TITLE", guideDays: 3 },
    { name: "Hotel bar", categories: [], numbering: "CONSECUTIVE" },
    { name: "Test players", categories: [], adultContent: true, onlyPlaying: true },
  ])
    await create(client, "live-profiles", { keyId: key.id, ...profile });
  const page = await show("/settings/live-profiles");
  await page.getByRole("button", { name: "Hotel TVs", exact: true }).waitFor();
  await take(page, "profiles");
});
