// One's own sessions, and those of a user on their edit page.
import { beforeAll, expect, test } from "vitest";
import { heading } from "./screens";
import { blank, clientOf, enter, expectAccessible, expectPath, pagesOfOneBrowser } from "./support";
import { register } from "./users";

const open = pagesOfOneBrowser();

beforeAll(async () => {
  const client = await clientOf();
  for (const username of ["ses_ana", "ses_eva"])
    await register(client, { username, fullName: "Ana Beltrán", roleCode: "contentManager" });
});

test("a session elsewhere is ended from the list of one's own", async () => {
  const page = await open("/", { as: "ses_ana" });
  const elsewhere = await open(blank, { signedIn: false });
  await enter(elsewhere, "ses_ana");
  await page.getByRole("button", { name: "Menú de ses_ana" }).click();
  await page.getByRole("menuitem", { name: "Mis sesiones" }).click();
  await expectPath(page, "/settings/sessions");
  await heading(page, "Mis sesiones").waitFor();
  const table = page.getByRole("table", { name: "Mis sesiones" });
  await table.getByText("Esta sesión").waitFor();
  const end = table.getByRole("button", { name: /^Cerrar la sesión de Chrome/ });
  expect(await end.count()).toBe(1);
  await expectAccessible(page, "sessions");

  await page.setViewportSize({ width: 390, height: 844 });
  const cards = page.getByRole("list", { name: "Mis sesiones" });
  const onPhone = cards.getByRole("button", { name: /^Cerrar la sesión de Chrome/ });
  const box = await onPhone.boundingBox();
  expect(box && box.x + box.width).toBeLessThanOrEqual(390);
  await onPhone.click();
  await page.getByText("Se cerró la sesión").waitFor();
  await page.getByText("No tienes ninguna otra sesión.").waitFor();
  expect((await elsewhere.request.get("/api/categories")).status()).toBe(401);
  expect((await page.request.get("/api/categories")).status()).toBe(200);
});

test("in English: an administrator ends the sessions of a user", async () => {
  const user = await clientOf("ses_eva");
  const page = await open("/users/ses_eva/edit", { language: "en", width: 390 });
  await page.getByRole("list", { name: "Sessions" }).waitFor();
  await expectAccessible(page, "sessions");
  await page.getByRole("button", { name: "End all sessions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End sessions" }).click();
  await page.getByText("Ana Beltrán is not signed in anywhere.").waitFor();
  expect((await user.request.get("/api/categories")).status()).toBe(401);
});
