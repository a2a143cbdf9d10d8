// Webhooks in a browser, with a receiver that is really called: made, secret once, tested, delivered, sent again, removed; in
// both languages; and nothing for axe to complain about.
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dismissToast, field, heading } from "./screens";
import {
  casesOf,
  clientOf,
  create,
  dark,
  expectAccessibleIn,
  expectPath,
  flowLanguages,
  type Look,
  light,
  narrow,
  nightly,
  pagesOfOneBrowser,
  without,
} from "./support";
import { register } from "./users";
import { words } from "./words";

const open = pagesOfOneBrowser();

interface Call {
  headers: IncomingHttpHeaders;
  body: string;
}

let receiver: Server;
let receiverUrl: string;
let calls: Call[] = [];
let status = 204;

beforeAll(async () => {
  receiver = createServer((request, answer) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      calls.push({ headers: request.headers, body });
      answer.writeHead(status).end();
    });
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/avisos`;
});
afterAll(() => receiver?.close());
beforeEach(async () => {
  calls = [];
  status = 204;
  await without(await clientOf(), "webhooks");
});

/** As a receiver checks it, in its own words. */
function expectSigned({ headers, body }: Call, secret: string) {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(text).digest("base64")}`);
}

const texts = {
  es: {
    create: "Crear webhook",
    name: "Nombre",
    url: "Dirección",
    event: "Contenido creado",
    created: (name: string) => `Se creó «${name}»`,
    secretTitle: "Secreto del webhook",
    secret: "Secreto",
    gotIt: "Ya lo tengo",
    closeUncopied: "Cerrar sin copiar",
    test: "Enviar prueba",
    arrived: (name: string) => `«${name}» recibió la prueba`,
    failed: (name: string) => `«${name}» no recibió la prueba`,
    testEvent: "Prueba",
    delivered: "Entregada",
    resend: /^Reenviar Contenido creado/,
    resent: "Se enviará enseguida",
    more: "Acciones",
    remove: "Eliminar",
    removeTitle: "Eliminar webhook",
    removed: (name: string) => `Se eliminó «${name}»`,
    refused: "El receptor respondió con un error · HTTP 500",
    empty: "No hay datos disponibles.",
  },
  en: {
    create: "Create webhook",
    name: "Name",
    url: "Address",
    event: "Item created",
    created: (name: string) => `“${name}” was created`,
    secretTitle: "Webhook secret",
    secret: "Secret",
    gotIt: "I have copied it",
    closeUncopied: "Close without copying",
    test: "Send a test",
    arrived: (name: string) => `“${name}” received the test`,
    failed: (name: string) => `“${name}” did not receive the test`,
    testEvent: "Test",
    delivered: "Delivered",
    resend: /^Send Item created .* again/,
    resent: "It will be sent in a moment",
    more: "Actions",
    remove: "Delete",
    removeTitle: "Delete webhook",
    removed: (name: string) => `“${name}” was deleted`,
    refused: "The receiver answered with an error · HTTP 500",
    empty: "No data available.",
  },
} as const;

const rowsOf = (page: Page) => page.getByRole("table").getByRole("row");

describe.each(flowLanguages)("in %s", (language) => {
  const s = texts[language];
  const w = words[language];
  const name = `Avisos ${language}`;

  test("a webhook is made, tested, reported of what happens, reported again, and removed", async () => {
    const page = await open("/settings/webhooks", { language });
    await heading(page, "Webhooks").waitFor();
    await page.getByRole("link", { name: s.create }).click();
    await field(page, s.name).fill(name);
    await field(page, s.url).fill(receiverUrl);
    await page.getByRole("checkbox", { name: s.event, exact: true }).check();
    await page.getByRole("button", { name: s.create, exact: true }).click();

    // The secret is shown once.
    const dialog = page.getByRole("dialog", { name: s.secretTitle });
    const secret = await dialog.getByRole("textbox", { name: s.secret, exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await dialog.getByRole("button", { name: s.gotIt }).click();
    await page.getByRole("button", { name: s.closeUncopied }).click();
    await expectPath(page, /^\/settings\/webhooks\/\d+$/);
    await heading(page, name).waitFor();
    await page.reload();
    await heading(page, name).waitFor();
    expect(await page.content()).not.toContain(secret);

    // The test says what came of it, and stands in the log.
    await page.getByRole("button", { name: s.test }).click();
    await dismissToast(page, s.arrived(name), w);
    expect(calls).toHaveLength(1);
    expectSigned(calls[0] as Call, secret);
    expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({ type: "TEST", data: {} });
    await page.getByRole("cell", { name: `${s.testEvent} webhooks/` }).waitFor();

    // An event is delivered.
    const made = await create(await clientOf(), "categories", {
      description: `Avisada ${language}`,
      englishDescription: `Reported ${language}`,
      type: "MOVIE",
    });
    await expect.poll(() => calls.length, { timeout: 15_000 }).toBe(2);
    expectSigned(calls[1] as Call, secret);
    expect(JSON.parse(calls[1]?.body ?? "")).toMatchObject({
      type: "ITEM_CREATED",
      data: { resource: "categories", id: made.id, version: 1, active: true },
    });
    await page.reload();
    await rowsOf(page)
      .nth(1)
      .filter({ hasText: `categories/${made.id}` })
      .getByText(s.delivered)
      .waitFor();

    // And delivered again, as the same message.
    await page.getByRole("button", { name: s.resend }).click();
    await dismissToast(page, s.resent, w);
    await expect.poll(() => calls.length, { timeout: 15_000 }).toBe(3);
    expect(calls[2]?.headers["webhook-id"]).toBe(calls[1]?.headers["webhook-id"]);
    expect(calls[2]?.body).toBe(calls[1]?.body);

    await page.getByTitle(s.more, { exact: true }).click();
    await page.getByRole("menuitem", { name: s.remove }).click();
    const question = page.getByRole("dialog", { name: s.removeTitle });
    await question.getByRole("button", { name: s.remove, exact: true }).click();
    await dismissToast(page, s.removed(name), w);
    await expectPath(page, "/settings/webhooks");
    await page.getByText(s.empty).waitFor();
  });

  test.runIf(nightly)("a receiver that fails is notified of, in words", async () => {
    status = 500;
    const events = ["ITEM_CREATED"];
    const { id } = await create(await clientOf(), "webhooks", { name, url: receiverUrl, events });
    const page = await open(`/settings/webhooks/${id}`, { language });
    await page.getByRole("button", { name: s.test }).click();
    await dismissToast(page, s.failed(name), w);
    await page.getByRole("cell", { name: s.refused }).waitFor();
  });
});

test.runIf(nightly)("users who are no admins find no webhooks", async () => {
  await register(await clientOf(), {
    username: "hook_manager",
    fullName: "Elsa Vila",
    roleCode: "contentManager",
  });
  const manager = await open("/settings/webhooks", { as: "hook_manager" });
  await expectPath(manager, "/");
});

const openLog = async (id: number, look: Look) => {
  const page = await open(`/settings/webhooks/${id}`, look);
  await page.getByText("Fallida").waitFor();
  return page;
};
const openForm = async (look: Look) => {
  const page = await open("/settings/webhooks/create", look);
  await page.getByRole("button", { name: "Crear webhook", exact: true }).click();
  await page.getByText("Elige al menos un evento").waitFor();
  return page;
};
/** Opens a screen; `id` is a webhook whose test delivery failed. */
const screens: Record<string, (id: number, look: Look) => Promise<Page>> = {
  list: async (_, look) => {
    const page = await open("/settings/webhooks", look);
    await page.getByText("Apagado").waitFor();
    return page;
  },
  log: openLog,
  message: async (id, look) => {
    const page = await openLog(id, look);
    await page.getByRole("button", { name: /^Ver el mensaje/ }).click();
    await page.getByRole("dialog", { name: "Prueba" }).waitFor();
    return page;
  },
  "form with errors": (_, look) => openForm(look),
  secret: async (_, look) => {
    const page = await openForm(look);
    await field(page, "Nombre").fill(`Otro ${look.scheme} ${look.width}`);
    await field(page, "Dirección").fill(receiverUrl);
    await page.getByRole("checkbox", { name: "Error de reproducción reportado" }).check();
    await page.getByRole("button", { name: "Crear webhook", exact: true }).click();
    await page.getByRole("dialog", { name: "Secreto del webhook" }).waitFor();
    return page;
  },
};

/** These screens use components that other cases test; secrets are tested in keys and in live-profiles. */
const onlyNightly = ["list", "message", "secret"];

test.each(casesOf(screens, onlyNightly))("axe finds nothing: %s", async (name, show) => {
  const client = await clientOf();
  status = 500;
  const events = ["ITEM_CREATED", "CREDITS_MOVED"];
  const { id } = await create(client, "webhooks", { name: "Facturación", url: receiverUrl, events });
  await create(client, "webhooks", { name: "Apagado", url: receiverUrl, events, active: false });
  await client.request.post(`/api/webhooks/${id}/test`);
  await expect.poll(() => calls.length, { timeout: 15_000 }).toBe(1);
  await expectAccessibleIn([light, dark, narrow], name, (look) => show(id, look));
});
