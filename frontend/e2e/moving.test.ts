// A customer moves to another agent with their history, and several at once: who sees them then, and how many clicks it
// takes.
import { beforeAll, expect, test } from "vitest";
import { dismissToast, field, heading, row } from "./screens";
import {
  type Client,
  clientOf,
  create,
  expectAccessibleInBothSchemes,
  expectGone,
  narrow,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { move, type NewUser, register } from "./users";
import { userWords } from "./userWords";
import { words } from "./words";

const open = pagesOfOneBrowser();
const u = userWords.es;

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
  ] as const)
    await register(norte, newUser(username, name));
  await move(norte, "add", "luisa_1", 3);
});

test("a customer moves with their history, in the form", async () => {
  const [norte, sur] = [await clientOf("norte_1"), await clientOf("sur_1")];
  const page = await open("/users?search=luisa_1");
  expect([await statusOf(norte, "luisa_1"), await statusOf(sur, "luisa_1")]).toEqual([200, 404]);
  const before = await movements(page, "luisa_1");

  const begin = Date.now();
  await row(page, "Luisa Gil").getByRole("link", { name: "Luisa Gil", exact: true }).click();
  await page.getByRole("link", { name: u.edit("Luisa Gil") }).click();
  const registrar = page.getByRole("combobox", { name: "Registrado por" });
  await registrar.click();
  await page.getByRole("option", { name: "Sur (sur_1)" }).click();
  await page.getByText("El agente anterior deja de verlo; historial y créditos se conservan.").waitFor();
  await page.getByRole("button", { name: u.save }).click();
  await dismissToast(page, u.saved("Luisa Gil"), words.es);
  console.info(`a customer moved: 5 clicks, ${Date.now() - begin} ms`);

  expect([await statusOf(norte, "luisa_1"), await statusOf(sur, "luisa_1")]).toEqual([404, 200]);
  expect([await movements(sur, "luisa_1"), before]).toEqual([1, 1]);
  const history = await open("/credits-history?username=luisa_1", { as: "sur_1" });
  await history.getByText("norte_1").first().waitFor();
  await page.goto("/users/luisa_1/edit");
  await page.getByRole("button", { name: "Cambios", exact: true }).click();
  // Of the move, and of the first entry.
  await page.getByRole("dialog").getByText("Registrado por").nth(1).waitFor();
});

test("several users move at once after a preview, and come back", async () => {
  const page = await open("/users?roleCode=app");
  await row(page, "Elena Mar").waitFor();
  const begin = Date.now();
  await page.getByRole("checkbox", { name: "Seleccionar «Pedro Sol»" }).click();
  await page.getByRole("checkbox", { name: "Seleccionar «Elena Mar»" }).click();
  await page.getByRole("button", { name: "Cambiar…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Qué cambiar" }).click();
  await page.getByRole("option", { name: "Registrado por" }).click();
  await expectAccessibleInBothSchemes(page, "the change of users");
  await dialog.getByRole("combobox", { name: "Nuevo valor" }).click();
  await page.getByRole("option", { name: "Sur (sur_1)" }).click();
  await dialog.getByRole("button", { name: "Vista previa" }).click();
  await dialog.getByRole("button", { name: "Cambiar 2" }).click();
  await dialog.getByText("Terminado. Se puede deshacer durante 24 horas.").waitFor();
  console.info(`two customers moved: 9 clicks, ${Date.now() - begin} ms`);
  const sur = await clientOf("sur_1");
  expect([await statusOf(sur, "pedro_1"), await statusOf(sur, "elena_1")]).toEqual([200, 200]);
  await dialog.getByRole("button", { name: "Deshacer" }).click();
  await dialog.getByText("Deshecho.").waitFor();
  expect([await statusOf(sur, "pedro_1"), await statusOf(sur, "elena_1")]).toEqual([404, 404]);
  await dialog.getByText("Cerrar", { exact: true }).click();
  await expectGone(dialog);
  await page.goto("/operations");
  await heading(page, "Operaciones masivas").waitFor();
  await page.getByText("Registrado por = sur_1").first().waitFor();
});

test.runIf(nightly)("reports get a status and a note together", async () => {
  const client = await clientOf();
  for (const title of ["No carga", "Sin audio"])
    await create(client, "issue-reports", { title, contentType: "MOVIE", reportType: "NOT_LOADING" });
  const page = await open("/issues");
  await row(page, "Sin audio").waitFor();
  await page.getByRole("checkbox", { name: "Seleccionar esta página" }).click();
  await page.getByRole("button", { name: "Cambiar…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Qué cambiar" }).click();
  await page.getByRole("option", { name: "Estado" }).click();
  await dialog.getByLabel("Nuevo valor").selectOption("Resuelto");
  await field(dialog, "Notas").fill("Arreglado en origen");
  await dialog.getByRole("button", { name: "Vista previa" }).click();
  await dialog.getByRole("button", { name: /^Cambiar \d/ }).click();
  await dialog.getByText("Terminado. Se puede deshacer durante 24 horas.").waitFor();
  await dialog.getByText("Cerrar", { exact: true }).click();
  await page.goto("/issues?tab=repaired");
  await page.getByText("Sin audio").first().waitFor();
});

test.runIf(nightly)("cards can be selected, too", async () => {
  const page = await open("/users?roleCode=app", narrow);
  await page.getByRole("checkbox", { name: "Seleccionar «Pedro Sol»" }).click();
  await page.getByText("1 seleccionado").waitFor();
  await expectAccessibleInBothSchemes(page, "the selection of users");
});
