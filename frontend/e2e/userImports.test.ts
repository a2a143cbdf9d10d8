// Customers and agents of another panel come in with a spreadsheet: owners, ends and balances, once.
import { expect, test } from "vitest";
import { expectAccessible, narrow, nightly, pagesOfOneBrowser } from "./support";

const open = pagesOfOneBrowser();

const file = Buffer.from(
  [
    "Usuario;Contraseña;Nombre completo;Correo electrónico;Teléfono;Rol;Créditos de App;Créditos para Venta;Vencimiento;Registrado por",
    "cliente_hoja;Secreta99;Ana Cliente;ana@example.com;600 123 456;app;3;;31/12/2030;revende_hoja",
    "revende_hoja;Secreta99;Beto Agente;beto@example.com;600 123 457;agent;;40;;",
    "sin_correo;x;Sin Correo;;600 123 458;app;;;;",
  ].join("\r\n"),
);

test("users come in with owner, end and balances, and the same file again adds nobody", async () => {
  const page = await open("/users");
  for (const isFirst of [true, false]) {
    await page.getByRole("button", { name: "Importar…" }).click();
    const dialog = page.getByRole("dialog", { name: "Importar una hoja de cálculo" });
    await dialog.getByText(/Las contraseñas no se importan/).waitFor();
    await dialog
      .getByLabel("Archivo")
      .setInputFiles({ name: "clientes.csv", mimeType: "text/csv", buffer: file });
    await dialog.getByText("3 filas en clientes.csv").waitFor();
    expect(await dialog.getByText("Secreta99").count()).toBe(0);
    await expectAccessible(page, "the columns of a file of users");
    await dialog.getByRole("button", { name: "Vista previa" }).click();
    await dialog
      .getByText(/Correo electrónico: /)
      .first()
      .waitFor();
    if (isFirst) {
      await dialog.getByText("2 se añadirán").first().waitFor();
      await dialog.getByRole("button", { name: "Importar 2 filas" }).click();
      await dialog.getByText("2 añadidos").waitFor();
    } else {
      expect(await dialog.getByRole("button", { name: /^Importar 0 filas/ }).isDisabled()).toBe(true);
    }
    await dialog.getByRole("button", { name: "Cerrar" }).first().click();
  }
  const user = async (name: string) => (await page.request.get(`/api/users/${name}`)).json();
  expect(await user("cliente_hoja")).toMatchObject({ credits: 3, registeredBy: "revende_hoja" });
  expect(await user("revende_hoja")).toMatchObject({ saleCredits: 40 });
});

test.runIf(nightly)("the import of users fits a phone", async () => {
  const page = await open("/users", narrow);
  await page.getByRole("button", { name: "Importar…" }).click();
  await page
    .getByRole("dialog")
    .getByText(/Las contraseñas no se importan/)
    .waitFor();
  await expectAccessible(page, "the import of users on a phone");
});
