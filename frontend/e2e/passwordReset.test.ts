// An agent resets the PIN of a customer, who signs in with it; the session that was open ends.
import { beforeAll, expect, test } from "vitest";
import { heading, signIn } from "./screens";
import { clientOf, dark, expectAccessibleIn, light, narrow, nightly, pagesOfOneBrowser } from "./support";
import { register } from "./users";

const open = pagesOfOneBrowser();

beforeAll(async () => {
  await register(await clientOf(), { username: "reset_agent", fullName: "Norte Sur", roleCode: "agent" });
  await register(await clientOf("reset_agent"), {
    username: "reset_customer",
    fullName: "Luisa Gil",
    roleCode: "app",
  });
});

test("an agent resets a customer's PIN, once shown; the old session and password are over", async () => {
  const customer = await clientOf("reset_customer");
  const page = await open("/users", { as: "reset_agent" });
  await page.getByRole("button", { name: "Más acciones para «Luisa Gil»" }).click();
  await page.getByRole("menuitem", { name: "Restablecer la contraseña de «Luisa Gil»" }).click();
  const dialog = page.getByRole("dialog", { name: "Restablecer la contraseña de «Luisa Gil»" });
  await dialog.getByRole("button", { name: "Restablecer" }).click();
  const shown = dialog.getByLabel("Contraseña nueva de Luisa Gil");
  await shown.waitFor();
  const pin = await shown.inputValue();
  expect(pin).toMatch(/^[0-9]{8}$/);
  // By the keyboard alone: the secret has the focus, and Escape closes it permanently after a confirmation.
  expect(await shown.evaluate((input) => input === document.activeElement)).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Cerrar sin copiar" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await page.content()).not.toContain(pin);

  expect((await customer.request.post("/api/auth/refresh")).status()).toBe(401);
  const again = await open("/login", { signedIn: false });
  await signIn(again, { username: "reset_customer", password: "Cartelera-2026" });
  await again.getByText("Login Failed").or(again.getByText("No se pudo iniciar sesión")).waitFor();
  await signIn(again, { username: "reset_customer", password: pin });
  await again.getByText("Panel no disponible").first().waitFor();

  await page.goto("/users/reset_customer/edit");
  await heading(page, "Editar «Luisa Gil»").waitFor();
  await page.getByText(/La cambió reset_agent el/).waitFor();
});

test.runIf(nightly)("the dialog is accessible in both themes and on a phone", async () => {
  await expectAccessibleIn([light, dark, narrow], "the dialog of a reset", async (look) => {
    const page = await open("/users/reset_customer/edit", { ...look, as: "reset_agent" });
    await page.getByRole("button", { name: "Restablecer contraseña" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Escribirla" }).click();
    await dialog.getByLabel(/^Contraseña/).waitFor();
    return page;
  });
});
