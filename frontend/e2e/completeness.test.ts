// Counts of missing fields open their list, the audit log has who changed a film yesterday, and lists are downloaded as files.
import { beforeEach, describe, expect, test } from "vitest";
import { heading } from "./screens";
import {
  admin,
  categoryId,
  clientOf,
  create,
  expectAccessible,
  flowLanguages,
  type Language,
  narrow,
  nightly,
  pagesOfOneBrowser,
  url,
  without,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    contents: "Contenidos",
    completeness: "Completitud",
    english: /Falta 1 sin sinopsis en inglés/,
    list: "Películas sin sinopsis en inglés",
    audit: "Auditoría",
    details: /^Ver los cambios de Con inglés/,
    before: "Sin inglés",
    refused: "Inicio de sesión rechazado",
    export: "Exportar…",
    dialog: "Exportar a una hoja de cálculo",
    download: "Descargar",
    users: "Usuarios",
  },
  en: {
    contents: "Contents",
    completeness: "Completeness",
    english: /1 missing without English synopsis/,
    list: "Movies without English synopsis",
    audit: "Audit log",
    details: /^Show the changes of Con inglés/,
    before: "Sin inglés",
    refused: "Sign-in refused",
    export: "Export…",
    dialog: "Export as a spreadsheet",
    download: "Download",
    users: "Users",
  },
} as const;

const film = (title: string, category: number, englishSynopsis?: string) => ({
  title,
  year: 2000,
  durationMinutes: 90,
  classification: "G",
  categoryId: category,
  englishSynopsis,
  links: [
    { quality: "HD", url: `https://cdn.example.com/${title.length}.m3u8`, audioLanguages: ["SPANISH"] },
  ],
});

beforeEach(async () => {
  const client = await clientOf();
  await without(client, "movies", "tv-shows", "documentaries", "sports", "concerts");
  const category = await categoryId(client, "Acción");
  await create(client, "movies", film("Con sinopsis", category, "A film about films."));
  const { id } = await create(client, "movies", film("Sin inglés", category));
  const changed = await client.request.patch(`/api/movies/${id}`, {
    headers: { origin: url },
    data: { title: "Con inglés pendiente" },
  });
  expect(changed.status()).toBe(200);
});

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("items without an English synopsis are listed after two clicks", async () => {
    const page = await open("/content/completeness", { language });
    await heading(page, w.completeness).waitFor();
    await page.getByRole("link", { name: w.english }).waitFor();
    await expectAccessible(page, "the completeness board");
    await page.getByRole("link", { name: w.english }).click();
    await heading(page, w.list).waitFor();
    await page.getByText("Con inglés pendiente").first().waitFor();
    expect(await page.getByText("Con sinopsis").count()).toBe(0);
  });

  test("the audit log says who changed a film, and who was refused", async () => {
    const page = await open("/audit?resource=movies&action=UPDATED", { language });
    await heading(page, w.audit).waitFor();
    await page.getByRole("button", { name: w.details }).first().click();
    await page.getByRole("dialog").getByText(w.before).waitFor();
    await expectAccessible(page, "the changes of a film");
    await page.keyboard.press("Escape");
    const refused = await page.request.post("/api/auth/login", {
      headers: { origin: url },
      data: { username: admin.username, password: "wrong" },
    });
    expect(refused.status()).toBe(401);
    await page.goto("/audit?action=SIGN_IN_REFUSED");
    await page.getByText(w.refused).last().waitFor();
    await expectAccessible(page, "the audit log");
  });

  test.runIf(nightly)("users are exported with what the list shows", async () => {
    const page = await open("/users", { language });
    await page.getByRole("button", { name: w.export }).click();
    const dialog = page.getByRole("dialog", { name: w.dialog });
    await dialog.getByRole("checkbox").first().waitFor();
    await expectAccessible(page, "the export of users");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("link", { name: w.download }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("users.xlsx");
  });
});

test.runIf(nightly)("the board fits a phone", async () => {
  const page = await open("/content/completeness", narrow);
  await page.getByRole("link", { name: words.es.english }).waitFor();
  await expectAccessible(page, "the completeness board on a phone");
  const overflows = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(overflows).toBe(false);
});
