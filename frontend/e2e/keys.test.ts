// The life of a key: made, reported once, used by a program, looked at, revoked.
import { describe, expect, test } from "vitest";
import { field, heading } from "./screens";
import { expectAccessibleInBothSchemes, expectGone, flowLanguages, pagesOfOneBrowser, url } from "./support";

const open = pagesOfOneBrowser();

const words = {
  es: {
    title: "Claves de API",
    create: "Nueva clave",
    name: "Nombre",
    scope: "Leer el catálogo",
    make: "Crear clave",
    made: "Clave creada",
    copy: "Copiar la clave",
    done: "Listo",
    revoke: "Revocar",
    question: "Revocar clave",
    revoked: "Revocada",
    days: "Llamadas de los últimos 30 días",
    close: "Cerrar",
  },
  en: {
    title: "API keys",
    create: "New key",
    name: "Name",
    scope: "Read the catalogue",
    make: "Create key",
    made: "Key created",
    copy: "Copy the key",
    done: "Done",
    revoke: "Revoke",
    question: "Revoke key",
    revoked: "Revoked",
    days: "Calls in the last 30 days",
    close: "Close",
  },
} as const;

const ask = (key: string, path = "/api/movies") =>
  fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);

describe.each(flowLanguages)("in %s", (language) => {
  const w = words[language];

  test("a key is made, reported once, works, is counted and revoked", async () => {
    const page = await open("/settings/keys", { language });
    await heading(page, w.title).waitFor();
    await page.getByRole("button", { name: w.create }).click();
    const dialog = page.getByRole("dialog", { name: w.create });
    const name = `TV ${language}`;
    await field(dialog, w.name).fill(name);
    await dialog.getByRole("checkbox", { name: w.scope }).check();
    await expectAccessibleInBothSchemes(page, "the dialog of a new key");
    await dialog.getByRole("button", { name: w.make }).click();

    const made = page.getByRole("dialog", { name: w.made });
    const key = await made.getByRole("textbox").inputValue();
    expect(key).toMatch(/^ck_[\w-]{43}$/);
    await expectAccessibleInBothSchemes(page, "a key that is shown");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await made.getByRole("button", { name: w.copy }).click();
    await made.getByRole("button", { name: w.done }).click();
    await expectGone(made);

    expect(await ask(key)).toBe(200);
    expect(await ask(key, "/api/users")).toBe(403);
    expect(await page.locator("body").innerText()).not.toContain(key);

    // What was called is written down within seconds.
    const count = async () => {
      const answer = await page.request.get(`/api/integrator-keys?search=${encodeURIComponent(name)}`);
      return (await answer.json()).content[0].calls;
    };
    await expect.poll(count, { timeout: 15_000 }).toBe(1);
    await page.reload();
    await page.getByRole("button", { name, exact: true }).click();
    const reported = page.getByRole("dialog", { name, exact: true });
    await reported.getByRole("table", { name: w.days }).waitFor();
    await expectAccessibleInBothSchemes(page, "a key");
    await reported.getByRole("button", { name: w.close }).click();

    await page.getByRole("button", { name: `${w.revoke} ${name}` }).click();
    const question = page.getByRole("dialog", { name: w.question });
    await question.getByRole("button", { name: w.revoke, exact: true }).click();
    await page.getByRole("row").filter({ hasText: name }).getByText(w.revoked).waitFor();
    expect(await ask(key)).toBe(401);
    await expectAccessibleInBothSchemes(page, "the list of keys");
  });
});
