// The life of a profile: made for a key, its address shown once and opened by a player, edited, replaced, revoked, deleted.
import { describe, expect, test } from "vitest";
import { choose, field, heading } from "./screens";
import {
  clientOf,
  create,
  expectAccessible,
  expectAccessibleInBothSchemes,
  expectGone,
  flowLanguages,
  pagesOfOneBrowser,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    title: "Perfiles de TV en directo",
    create: "Nuevo perfil",
    name: "Nombre",
    forKey: "Una clave de API",
    key: "Clave de API",
    category: "Categorías",
    required: "Este campo es obligatorio",
    submit: "Crear perfil",
    address: "Dirección de la lista",
    copy: "Copiar la dirección",
    done: "Listo",
    edit: "Editar",
    order: "Orden de los canales",
    byName: "Por nombre",
    save: "Guardar cambios",
    saved: "Se guardó",
    replace: "Cambiar dirección",
    replaceOf: "Cambiar la dirección de",
    more: "Más acciones",
    revoke: "Revocar",
    revoking: "Revocar perfil",
    revoked: "Revocado",
    delete: "Eliminar",
    deleting: "Eliminar perfil",
  },
  en: {
    title: "Live TV profiles",
    create: "New profile",
    name: "Name",
    forKey: "An API key",
    key: "API key",
    category: "Categories",
    required: "This field is required",
    submit: "Create profile",
    address: "Playlist address",
    copy: "Copy the address",
    done: "Done",
    edit: "Edit",
    order: "Channel order",
    byName: "By name",
    save: "Save changes",
    saved: "was saved",
    replace: "Replace address",
    replaceOf: "Replace the address of",
    more: "More actions",
    revoke: "Revoke",
    revoking: "Revoke profile",
    revoked: "Revoked",
    delete: "Delete",
    deleting: "Delete profile",
  },
} as const;

/** What a player gets, which sends no headers. */
const play = (address: string) => fetch(address).then(async (answer) => [answer.status, await answer.text()]);

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("a profile gives a player its channels under an address that is shown once", async () => {
    const client = await clientOf();
    const name = `Salón ${language}`;
    const key = { name: `Tele ${language}`, scopes: ["CATALOGUE_READ"] };
    const { hint } = await create<{ hint: string }>(client, "integrator-keys", key);
    const category = { description: name, englishDescription: name, type: "TV_CHANNEL" };
    const { id } = await create<{ id: number }>(client, "categories", category);
    for (const [number, title] of [
      [1, `Zeta ${language}`],
      [2, `Alfa ${language}`],
    ] as const) {
      const address = { urlType: "EXTERNAL", url: `https://live.example.com/${language}/${number}.m3u8` };
      await create(client, "tv-channels", { channelNumber: number, title, categories: [id], ...address });
    }
    const page = await open("/settings/live-profiles", { language });
    await heading(page, w.title).waitFor();

    await page.getByRole("button", { name: w.create }).click();
    const dialog = page.getByRole("dialog", { name: w.create });
    await field(dialog, w.name).fill(name);
    await dialog.getByText(w.forKey, { exact: true }).click();
    await dialog.getByRole("button", { name: w.submit }).click();
    await dialog.getByText(w.required).waitFor();
    await expectAccessibleInBothSchemes(page, "the dialog of a new profile");
    await choose(dialog, w.category, name);
    // By its name, as the server searches.
    await field(dialog, w.key).fill(`Tele ${language}`);
    await page.getByRole("option", { name: `Tele ${language} (${hint}…)`, exact: true }).click();
    await dialog.getByRole("button", { name: w.submit }).click();

    const shown = page.getByRole("dialog", { name: w.address });
    const address = await shown.getByRole("textbox").inputValue();
    expect(address).toMatch(/\/api\/live\/pl_[\w-]{43}\/playlist\.m3u$/);
    await expectAccessibleInBothSchemes(page, "an address that is shown");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await shown.getByRole("button", { name: w.copy }).click();
    await shown.getByRole("button", { name: w.done }).click();
    await expectGone(shown);
    expect(await page.locator("body").innerText()).not.toContain(address);

    const [status, playlist] = await play(address);
    const guide = address.replace("playlist.m3u", "guide.xml.gz");
    expect([status, String(playlist).split("\n")[0]]).toEqual([200, `#EXTM3U x-tvg-url="${guide}"`]);
    expect((await play(guide))[0]).toBe(200);
    const order = (text: unknown) =>
      [...String(text).matchAll(/(Zeta|Alfa) (?:es|en)$/gm)].map(([, one]) => one);
    expect(order(playlist)).toEqual(["Zeta", "Alfa"]);

    const row = page.getByRole("row").filter({ hasText: name });
    await row.getByRole("button", { name: `${w.edit} ` }).click();
    const editing = page.getByRole("dialog", { name: new RegExp(`^${w.edit}`) });
    await field(editing, w.order).click();
    await page.getByRole("option", { name: w.byName, exact: true }).click();
    await editing.getByRole("button", { name: w.save }).click();
    await page.getByText(w.saved).first().waitFor();
    await expectGone(editing);
    expect(order((await play(address))[1])).toEqual(["Alfa", "Zeta"]);

    await row.getByRole("button", { name: w.replaceOf }).click();
    const question = page.getByRole("dialog", { name: w.replace });
    await question.getByRole("button", { name: w.replace, exact: true }).click();
    const next = await shown.getByRole("textbox").inputValue();
    await shown.getByRole("button", { name: w.copy }).click();
    await shown.getByRole("button", { name: w.done }).click();
    expect([(await play(address))[0], (await play(next))[0]]).toEqual([404, 200]);

    await row.getByRole("button", { name: w.more }).click();
    await page.getByRole("menuitem", { name: w.revoke }).click();
    const revoking = page.getByRole("dialog", { name: w.revoking });
    await revoking.getByRole("button", { name: w.revoke, exact: true }).click();
    await row.getByText(w.revoked).waitFor();
    expect((await play(next))[0]).toBe(404);
    await expectAccessibleInBothSchemes(page, "the list of profiles");
    for (const width of [768, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await page.getByRole("button", { name, exact: true }).waitFor();
      await expectAccessible(page, `the list of profiles at ${width} px`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    await row.getByRole("button", { name: new RegExp(`^${w.delete}`) }).click();
    const deleting = page.getByRole("dialog", { name: w.deleting });
    await deleting.getByRole("button", { name: w.delete, exact: true }).click();
    await expectGone(row);
  });
});
