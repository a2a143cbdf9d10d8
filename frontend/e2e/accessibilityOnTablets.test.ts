// axe finds nothing at 768 pixels, and nothing scrolls sideways, on lists, bulk changes, imports, the trash, renewals, a
// customer, a statement, the completeness board, duplicates, operations and the audit log. Wide and narrow are looked at
// in the flows of each.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { heading } from "./screens";
import {
  categoryId,
  clientOf,
  create,
  expectAccessible,
  nightly,
  pagesOfOneBrowser,
  tablet,
  url,
} from "./support";
import { move, register } from "./users";

const open = pagesOfOneBrowser();
const agent = "tablet_agent";

beforeAll(async () => {
  const client = await clientOf();
  const category = await categoryId(client, "Acción");
  const film = (title: string) =>
    create(client, "movies", {
      title,
      year: 1922,
      durationMinutes: 94,
      classification: "G",
      categoryId: category,
      links: [{ quality: "HD", url: "https://cdn.example.com/t.m3u8", audioLanguages: ["SPANISH"] }],
    });
  const first = await film("Nosferatu");
  await film("NOSFERATU");
  const gone = await film("Borrada");
  expect((await client.request.delete(`/api/movies/${gone.id}`)).status()).toBe(204);
  const begun = await client.request.post("/api/operations", {
    headers: { origin: url },
    data: {
      resource: "movies",
      ids: [first.id],
      action: { type: "SET", set: { kidsContent: true } },
    },
  });
  expect(begun.status(), await begun.text()).toBe(202);
  await register(client, { username: agent, fullName: "Ramón Vega", roleCode: "agent" });
  await move(client, "add-for-sale", agent, 20);
  const seller = await clientOf(agent);
  await register(seller, { username: "tablet_rosa", fullName: "Rosa Luna", roleCode: "app" });
  // Soon enough to be among the renewals.
  const ends = await client.request.patch("/api/users/tablet_rosa", {
    headers: { origin: url },
    data: { expirationDate: new Date(Date.now() + 86_400_000).toISOString() },
  });
  expect(ends.status(), await ends.text()).toBe(200);
});

/** Every screen, as whom, and what has to be there before it counts. */
const screens: Record<string, { path: string; as?: string; prepare: (page: Page) => Promise<unknown> }> = {
  lists: { path: "/content/movies", prepare: (page) => page.getByText("Nosferatu").first().waitFor() },
  bulk: {
    path: "/content/movies",
    prepare: async (page) => {
      await page.getByRole("checkbox", { name: "Seleccionar «Nosferatu»", exact: true }).click();
      await page.getByRole("button", { name: "Cambiar…" }).click();
      await page.getByRole("dialog").getByRole("combobox", { name: "Qué cambiar" }).waitFor();
      await page.getByRole("option", { name: "Clasificación" }).click();
    },
  },
  imports: {
    path: "/content/tv-channels",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Importar…" }).click();
      const dialog = page.getByRole("dialog", { name: "Importar una hoja de cálculo" });
      await dialog.getByLabel("Archivo").setInputFiles({
        name: "canales.csv",
        mimeType: "text/csv",
        buffer: Buffer.from("Número;Título\r\n1;Canal 1"),
      });
      await dialog.getByRole("table", { name: "Columnas" }).waitFor();
    },
  },
  trash: { path: "/trash", prepare: (page) => page.getByText("Borrada").first().waitFor() },
  renewals: {
    path: "/renewals?search=tablet_rosa",
    as: agent,
    prepare: (page) => page.getByText("Rosa Luna").first().waitFor(),
  },
  customer: {
    path: "/users/tablet_rosa",
    as: agent,
    prepare: (page) => page.getByText("Puede reproducir", { exact: true }).waitFor(),
  },
  statements: {
    path: `/statements?username=${agent}`,
    prepare: (page) => page.getByText("Existencias finales").waitFor(),
  },
  completeness: {
    path: "/content/completeness",
    prepare: (page) =>
      page
        .getByRole("link", { name: /sin sinopsis en inglés/ })
        .first()
        .waitFor(),
  },
  duplicates: {
    path: "/content/duplicates",
    prepare: async (page) => {
      await page
        .getByRole("button", { name: /^Comparar y combinar Nosferatu/ })
        .first()
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Combinar" }).waitFor();
    },
  },
  operations: {
    path: "/operations",
    prepare: (page) => page.getByText("Contenido infantil").first().waitFor(),
  },
  audit: {
    path: "/audit?resource=movies",
    prepare: async (page) => {
      await heading(page, "Auditoría").waitFor();
      await page.getByText("Borrada").first().waitFor();
    },
  },
};

test.runIf(nightly).each(Object.entries(screens))("%s at 768 pixels", async (name, { path, as, prepare }) => {
  const page = await open(path, { ...tablet, as });
  await prepare(page);
  await expectAccessible(page, `${name}, ${tablet.width} px`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});
