// Customers and agents of another panel come in with a spreadsheet: owners, ends and balances, once.
import { describe, expect, test } from "vitest";
import {
  expectAccessible,
  flowLanguages,
  type Language,
  narrow,
  nightly,
  pagesOfOneBrowser,
} from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    import: "Importar…",
    dialog: "Importar una hoja de cálculo",
    passwords: /Las contraseñas no se importan/,
    file: "Archivo",
    found: "3 filas en clientes.csv",
    preview: "Vista previa",
    refused: /Correo electrónico: /,
    wouldCreate: "2 se añadirán",
    run: "Importar 2 filas",
    runNone: /^Importar 0 filas/,
    created: "2 añadidos",
    close: "Cerrar",
  },
  en: {
    import: "Import…",
    dialog: "Import a spreadsheet",
    passwords: /Passwords are not imported/,
    file: "File",
    found: "3 rows in clientes.csv",
    preview: "Preview",
    refused: /Correo electrónico: /,
    wouldCreate: "2 will be added",
    run: "Import 2 rows",
    runNone: /^Import 0 rows/,
    created: "2 added",
    close: "Close",
  },
} as const;

/** From a panel in Spanish: the columns are found in any language of this one. */
const file = (customer: string, agent: string, without: string) =>
  Buffer.from(
    [
      "Usuario;Contraseña;Nombre completo;Correo electrónico;Teléfono;Rol;Créditos de App;Créditos para Venta;Vencimiento;Registrado por",
      `${customer};Secreta99;Ana Cliente;ana@example.com;600 123 456;app;3;;31/12/2030;${agent}`,
      `${agent};Secreta99;Beto Agente;beto@example.com;600 123 457;agent;;40;;`,
      `${without};x;Sin Correo;;600 123 458;app;;;;`,
    ].join("\r\n"),
  );

describe.each<Language>(flowLanguages)("in %s", (language) => {
  const w = words[language];
  const [customer, agent] = [`cliente_hoja_${language}`, `revende_hoja_${language}`];

  test("users are imported with owner, expiration and balances, and the same file again adds none", async () => {
    const page = await open("/users", { language });
    for (const isFirst of [true, false]) {
      await page.getByRole("button", { name: w.import }).click();
      const dialog = page.getByRole("dialog", { name: w.dialog });
      await dialog.getByText(w.passwords).waitFor();
      await dialog.getByLabel(w.file, { exact: true }).setInputFiles({
        name: "clientes.csv",
        mimeType: "text/csv",
        buffer: file(customer, agent, `sin_correo_${language}`),
      });
      await dialog.getByText(w.found).waitFor();
      expect(await dialog.getByText("Secreta99").count()).toBe(0);
      await expectAccessible(page, "the columns of a file of users");
      await dialog.getByRole("button", { name: w.preview }).click();
      await dialog.getByText(w.refused).first().waitFor();
      if (isFirst) {
        await dialog.getByText(w.wouldCreate).first().waitFor();
        await dialog.getByRole("button", { name: w.run }).click();
        await dialog.getByText(w.created).waitFor();
      } else {
        expect(await dialog.getByRole("button", { name: w.runNone }).isDisabled()).toBe(true);
      }
      await dialog.getByRole("button", { name: w.close }).first().click();
    }
    const user = async (name: string) => (await page.request.get(`/api/users/${name}`)).json();
    expect(await user(customer)).toMatchObject({ credits: 3, registeredBy: agent });
    expect(await user(agent)).toMatchObject({ saleCredits: 40 });
  });
});

test.runIf(nightly)("the import of users fits a phone", async () => {
  const page = await open("/users", narrow);
  await page.getByRole("button", { name: words.es.import }).click();
  await page.getByRole("dialog").getByText(words.es.passwords).waitFor();
  await expectAccessible(page, "the import of users on a phone");
});
