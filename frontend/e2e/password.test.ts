// Changing one's own password.
import { beforeAll, expect, test } from "vitest";
import { heading, signIn } from "./screens";
import {
  blank,
  clientOf,
  dark,
  enter,
  expectAccessibleIn,
  expectGone,
  expectPath,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
} from "./support";
import { password, register } from "./users";

const open = pagesOfOneBrowser();
const next = "Distinta-2027";
const path = "/settings/change-password";

beforeAll(async () => {
  const client = await clientOf();
  for (const username of ["pass_ana", "pass_eva"])
    await register(client, { username, fullName: "Ana Beltrán", roleCode: "contentManager" });
});

test("a wrong current password is reported, the right one changes it, and the new one signs in", async () => {
  const page = await open("/", { as: "pass_ana" });
  const elsewhere = await open(blank, { signedIn: false });
  await enter(elsewhere, "pass_ana");
  await page.getByRole("button", { name: "Menú de pass_ana" }).click();
  await page.getByRole("menuitem", { name: "Cambiar Contraseña" }).click();
  await expectPath(page, path);
  await heading(page, "Cambiar Contraseña").waitFor();

  const field = (name: string) => page.getByRole("textbox", { name });
  const submit = page.getByRole("button", { name: "Cambiar contraseña" });
  expect(await submit.isDisabled()).toBe(true);
  await field("Contraseña actual").fill("No es esta 1");
  await field("Nueva contraseña").fill(next);
  await field("Confirmar contraseña").fill(next);
  await submit.click();
  await page.getByText("La contraseña actual no es correcta").waitFor();
  await expectPath(page, path);

  await field("Contraseña actual").fill(password);
  await submit.click();
  const notice = page.getByText("Tu contraseña se cambió");
  await notice.waitFor();
  const since = Date.now();
  for (const name of ["Contraseña actual", "Nueva contraseña", "Confirmar contraseña"])
    expect(await field(name).inputValue()).toBe("");
  await expectGone(notice);
  expect(Date.now() - since).toBeGreaterThan(4_000);

  // Still signed in here, and nowhere else.
  expect((await page.request.get("/api/categories")).status()).toBe(200);
  expect((await elsewhere.request.get("/api/categories")).status()).toBe(401);

  const other = await open("/login", { signedIn: false });
  await signIn(other, { username: "pass_ana", password: next });
  await heading(other, "Panel de Gestión de Contenido").waitFor();
});

test.runIf(nightly)("in English: what the new password lacks is shown as it is typed", async () => {
  const page = await open(path, { as: "pass_eva", language: "en" });
  await heading(page, "Change password").waitFor();
  await page.getByRole("textbox", { name: "Current password" }).fill(password);
  await page.getByRole("textbox", { name: "New password" }).fill(password);
  await page.getByRole("textbox", { name: "Confirm password" }).fill("x");
  await page.keyboard.press("Tab");
  await page.getByText("The new password must differ from the current one").waitFor();
  await page.getByText("The passwords do not match").waitFor();
  await page.getByText("Different from the current one: missing").waitFor();
  expect(await page.getByRole("button", { name: "Change password" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Show: New password" }).click();
  expect(await page.getByRole("textbox", { name: "New password" }).getAttribute("type")).toBe("text");
});

test("axe finds nothing", () =>
  expectAccessibleIn(
    [light, dark, { ...dark, width: narrow.width }, narrow],
    "change of password",
    async (look) => {
      const page = await open(path, look);
      await page.getByRole("textbox", { name: "Nueva contraseña" }).fill("corta1");
      await page.keyboard.press("Tab");
      await page.getByText("La nueva contraseña no cumple con los requisitos").waitFor();
      return page;
    },
  ));
