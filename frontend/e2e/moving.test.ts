// A customer moves to another agent with their history, and several at once: who sees them then, and how many clicks it
// takes.
import { beforeAll, describe, expect, test } from "vitest";
import { dismissToast, field, heading, row } from "./screens";
import {
  type Client,
  clientOf,
  create,
  expectAccessibleInBothSchemes,
  expectGone,
  flowLanguages,
  type Language,
  narrow,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { move, type NewUser, register } from "./users";
import { userWords } from "./userWords";
import { words as textsOf } from "./words";

const open = pagesOfOneBrowser();

const words = {
  es: {
    registrar: "Registrado por",
    losesSight: "El agente anterior deja de verlo; historial y créditos se conservan.",
    changes: "Cambios",
    select: (name: string) => `Seleccionar «${name}»`,
    selectPage: "Seleccionar esta página",
    change: "Cambiar…",
    what: "Qué cambiar",
    value: "Nuevo valor",
    preview: "Vista previa",
    run: "Cambiar 2",
    runSome: /^Cambiar \d/,
    done: "Terminado. Se puede deshacer durante 24 horas.",
    undo: "Deshacer",
    undone: "Deshecho.",
    close: "Cerrar",
    operations: "Operaciones masivas",
    set: "Registrado por = sur_1",
    status: "Estado",
    resolved: "Resuelto",
    notes: "Notas",
  },
  en: {
    registrar: "Registered by",
    losesSight: "The previous agent no longer sees them; history and credits are kept.",
    changes: "Changes",
    select: (name: string) => `Select “${name}”`,
    selectPage: "Select this page",
    change: "Change…",
    what: "What to change",
    value: "New value",
    preview: "Preview",
    run: "Change 2",
    runSome: /^Change \d/,
    done: "Finished. It can be undone for 24 hours.",
    undo: "Undo",
    undone: "Undone.",
    close: "Close",
    operations: "Bulk operations",
    set: "Registered by = sur_1",
    status: "Status",
    resolved: "Resolved",
    notes: "Notes",
  },
} as const;

const newUser = (username: string, fullName: string, roleCode: NewUser["roleCode"] = "app"): NewUser => ({
  username,
  fullName,
  roleCode,
});

async function movements({ request }: Client, username: string): Promise<number> {
  return (await (await request.get(`/api/credits/history/${username}/count`)).json()).count;
}

const statusOf = async ({ request }: Client, username: string) =>
  (await request.get(`/api/users/${username}`)).status();

/** Who moves in the form, in each language. */
const moved: Record<Language, { username: string; name: string }> = {
  es: { username: "luisa_1", name: "Luisa Gil" },
  en: { username: "laura_1", name: "Laura Paz" },
};

beforeAll(async () => {
  const client = await clientOf();
  await register(client, newUser("norte_1", "Norte", "agent"));
  await register(client, newUser("sur_1", "Sur", "agent"));
  await move(client, "add-for-sale", "norte_1", 20);
  const norte = await clientOf("norte_1");
  for (const [username, name] of [
    ["luisa_1", "Luisa Gil"],
    ["pedro_1", "Pedro Sol"],
    ["elena_1", "Elena Mar"],
    ["laura_1", "Laura Paz"],
  ] as const)
    await register(norte, newUser(username, name));
  for (const { username } of Object.values(moved)) await move(norte, "add", username, 3);
});

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];
  const u = userWords[language];
  const { username, name } = moved[language];

  test("a customer moves with their history, in the form", async () => {
    const [norte, sur] = [await clientOf("norte_1"), await clientOf("sur_1")];
    const page = await open(`/users?search=${username}`, { language });
    expect([await statusOf(norte, username), await statusOf(sur, username)]).toEqual([200, 404]);
    const before = await movements(page, username);

    const begin = Date.now();
    await row(page, name).getByRole("link", { name, exact: true }).click();
    await page.getByRole("link", { name: u.edit(name) }).click();
    const registrar = page.getByRole("combobox", { name: w.registrar });
    await registrar.click();
    await page.getByRole("option", { name: "Sur (sur_1)" }).click();
    await page.getByText(w.losesSight).waitFor();
    await page.getByRole("button", { name: u.save }).click();
    await dismissToast(page, u.saved(name), textsOf[language]);
    console.info(`a customer moved: 5 clicks, ${Date.now() - begin} ms`);

    expect([await statusOf(norte, username), await statusOf(sur, username)]).toEqual([404, 200]);
    expect([await movements(sur, username), before]).toEqual([1, 1]);
    const history = await open(`/credits-history?username=${username}`, { as: "sur_1", language });
    await history.getByText("norte_1").first().waitFor();
    await page.goto(`/users/${username}/edit`);
    await page.getByRole("button", { name: w.changes, exact: true }).click();
    // Of the move, and of the first entry.
    await page.getByRole("dialog").getByText(w.registrar).nth(1).waitFor();
  });

  test("several users move at once after a preview, and come back", async () => {
    const page = await open("/users?roleCode=app", { language });
    await row(page, "Elena Mar").waitFor();
    const begin = Date.now();
    await page.getByRole("checkbox", { name: w.select("Pedro Sol") }).click();
    await page.getByRole("checkbox", { name: w.select("Elena Mar") }).click();
    await page.getByRole("button", { name: w.change }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: w.what }).click();
    await page.getByRole("option", { name: w.registrar }).click();
    await expectAccessibleInBothSchemes(page, "the change of users");
    await dialog.getByRole("combobox", { name: w.value }).click();
    await page.getByRole("option", { name: "Sur (sur_1)" }).click();
    await dialog.getByRole("button", { name: w.preview }).click();
    await dialog.getByRole("button", { name: w.run }).click();
    await dialog.getByText(w.done).waitFor();
    console.info(`two customers moved: 9 clicks, ${Date.now() - begin} ms`);
    const sur = await clientOf("sur_1");
    expect([await statusOf(sur, "pedro_1"), await statusOf(sur, "elena_1")]).toEqual([200, 200]);
    await dialog.getByRole("button", { name: w.undo }).click();
    await dialog.getByText(w.undone).waitFor();
    expect([await statusOf(sur, "pedro_1"), await statusOf(sur, "elena_1")]).toEqual([404, 404]);
    await dialog.getByText(w.close, { exact: true }).click();
    await expectGone(dialog);
    await page.goto("/operations");
    await heading(page, w.operations).waitFor();
    await page.getByText(w.set).first().waitFor();
  });

  test.runIf(nightly)("reports get a status and a note together", async () => {
    const client = await clientOf();
    for (const title of ["No carga", "Sin audio"])
      await create(client, "issue-reports", { title, contentType: "MOVIE", reportType: "NOT_LOADING" });
    const page = await open("/issues", { language });
    await row(page, "Sin audio").waitFor();
    await page.getByRole("checkbox", { name: w.selectPage }).click();
    await page.getByRole("button", { name: w.change }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: w.what }).click();
    await page.getByRole("option", { name: w.status }).click();
    await dialog.getByLabel(w.value).selectOption(w.resolved);
    await field(dialog, w.notes).fill("Arreglado en origen");
    await dialog.getByRole("button", { name: w.preview }).click();
    await dialog.getByRole("button", { name: w.runSome }).click();
    await dialog.getByText(w.done).waitFor();
    await dialog.getByText(w.close, { exact: true }).click();
    await page.goto("/issues?tab=repaired");
    await page.getByText("Sin audio").first().waitFor();
  });
});

test.runIf(nightly)("cards can be selected, too", async () => {
  const page = await open("/users?roleCode=app", narrow);
  await page.getByRole("checkbox", { name: "Seleccionar «Pedro Sol»" }).click();
  await page.getByText("1 seleccionado").waitFor();
  await expectAccessibleInBothSchemes(page, "the selection of users");
});
