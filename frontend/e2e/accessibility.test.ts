// axe finds nothing, on any page, in light and dark.
import type { Page } from "playwright-core";
import { beforeAll, test } from "vitest";
import { field, heading, lookUp, row } from "./screens";
import {
  casesOf,
  categoryId,
  clientOf,
  create,
  dark,
  expectAccessible,
  expectAccessibleIn,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { words } from "./words";

const open = pagesOfOneBrowser();
const w = words.es;
let movie = 0;

beforeAll(async () => {
  const client = await clientOf();
  const { draft } = await (await client.request.get("/api/lookup/titles/tt0133093?as=movie")).json();
  const links = [
    {
      quality: "FHD",
      url: "https://cdn.example.com/movies/the-matrix/1080.m3u8",
      audioLanguages: ["SPANISH", "ENGLISH"],
      subtitleLanguages: ["SPANISH"],
    },
    { quality: "SD", url: "rtmp://cdn.example.com/the-matrix", audioLanguages: ["ENGLISH"], active: false },
  ];
  const data = { ...draft, classification: "R", categoryId: await categoryId(client, "Acción"), links };
  for (const title of ["The Matrix", "Otra película, inactiva"])
    movie = (await create(client, "movies", { ...data, title, active: title === "The Matrix" })).id;
});

// In a row of the table, or of the list that stands in for it on a phone.
const link = (page: Page) => page.getByText("rtmp://cdn.example.com/the-matrix").first();

/** Every screen, and what has to be there before it counts. */
const screens: Record<string, { path: string; signedIn?: false; prepare: (page: Page) => Promise<unknown> }> =
  {
    "sign-in": {
      path: "/login",
      signedIn: false,
      prepare: (page) => heading(page, w.signIn.heading).waitFor(),
    },
    "sign-in, refused": {
      path: "/login",
      signedIn: false,
      prepare: async (page) => {
        await page.getByRole("textbox", { name: w.signIn.username }).fill("nobody");
        await page.getByLabel(w.signIn.password, { exact: true }).fill("nothing");
        await page.getByRole("button", { name: w.signIn.submit }).click();
        await page.getByText(w.signIn.failed).waitFor();
      },
    },
    home: { path: "/", prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor() },
    "menu, open": {
      path: "/",
      prepare: async (page) => {
        await page.getByRole("button", { name: w.menus.contents }).click();
        await page.getByRole("menuitem", { name: w.movies.page }).waitFor();
      },
    },
    palette: {
      path: "/",
      prepare: async (page) => {
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.keyboard.press("Control+k");
        await page.getByPlaceholder("Ir a una página o buscar un título o un usuario…").fill("matrix");
        await page.getByText("The Matrix").first().waitFor();
      },
    },
    "movies, list": { path: "/content/movies", prepare: (page) => row(page, "The Matrix").waitFor() },
    "movies, empty": {
      path: "/content/movies?search=zzzz",
      prepare: (page) => page.getByText(w.list.nothingFound).waitFor(),
    },
    "movies, deleting": {
      path: "/content/movies",
      prepare: async (page) => {
        await page.getByRole("button", { name: w.movies.delete("The Matrix") }).click();
        await page.getByRole("dialog").waitFor();
      },
    },
    "new movie, look-up": {
      path: "/content/movies/create",
      prepare: (page) => field(page, w.lookup.label).waitFor(),
    },
    "new movie, form with errors": {
      path: "/content/movies/create",
      prepare: async (page) => {
        await lookUp(page, "tt0036775", w);
        await page.getByText(/Film-Noir/).waitFor();
        await page.getByRole("button", { name: w.movies.create, exact: true }).click();
        await page.getByText(w.required.category, { exact: true }).waitFor();
      },
    },
    "new movie, link": {
      path: "/content/movies/create",
      prepare: async (page) => {
        await page.getByRole("button", { name: w.lookup.manual }).click();
        await page.getByRole("button", { name: w.links.add, exact: true }).click();
        await page.getByRole("dialog", { name: w.links.add }).waitFor();
      },
    },
    "movie, editing": {
      path: "/content/movies/:id/edit",
      prepare: (page) => link(page).waitFor(),
    },
    "movie, details": {
      path: "/content/movies/:id",
      prepare: (page) => link(page).waitFor(),
    },
    "movie that is not there": {
      path: "/content/movies/999999/edit",
      prepare: (page) => page.getByText("Película no encontrada").waitFor(),
    },
    "categories, list": {
      path: "/content/categories",
      prepare: (page) => row(page, "Cine español").waitFor(),
    },
    "new category": {
      path: "/content/categories/create",
      prepare: (page) => field(page, "Descripción").waitFor(),
    },
  };

const onPhones = ["home", "movies, list", "movie, editing", "new movie, link", "categories, list"];

/** They are made of what the others are made of, or are looked at in a flow: dashboards, listTools. */
const onlyNightly = [
  "sign-in",
  "home",
  "palette",
  "movies, empty",
  "new movie, look-up",
  "categories, list",
  "new category",
];

test.each(casesOf(screens, onlyNightly))("%s", async (name, { path, signedIn, prepare }) => {
  const looks = onPhones.includes(name) ? [light, dark, narrow] : [light, dark];
  await expectAccessibleIn(looks, name, async (look) => {
    const page = await open(path.replace(":id", String(movie)), { ...look, signedIn });
    if (look === narrow && name.endsWith("list")) await page.getByRole("listitem").first().waitFor();
    else await prepare(page);
    return page;
  });
});

test.runIf(nightly)("side menu at 390 pixels", async () => {
  const page = await open("/", narrow);
  await page.getByRole("button", { name: "Abrir el menú" }).click();
  await page.getByRole("dialog").getByRole("link", { name: w.movies.page }).waitFor();
  await expectAccessible(page, "side menu");
});
