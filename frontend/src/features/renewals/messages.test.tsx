// Messages and contacts with customers: what is written, marked as contacted, and never lost without a confirmation.
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { delay, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend, problem } from "../../testing/backend";
import { losePage } from "../../testing/leaving";
import { activity } from "../../testing/notes";
import { renderPage } from "../../testing/render";
import { renewals, sampleCustomer, sampleMessages } from "../../testing/renewals";
import { setRenewals } from "../../testing/renewalsPage";
import { server } from "../../testing/server";

beforeEach(setRenewals);

const box = (name: string) => screen.findByRole("checkbox", { name: `Seleccionar «Persona ${name}»` });

describe("a contact", () => {
  test("asks before its note is lost", async () => {
    const { user } = renderPage("/renewals");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Persona luis»" }));
    await user.click(
      await screen.findByRole("menuitem", { name: "Marcar a «Persona luis» como contactado" }),
    );
    const dialog = within(await screen.findByRole("dialog", { name: "Contacto con Persona luis" }));
    await user.type(dialog.getByLabelText("Nota"), "Paga el lunes");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(dialog.getByLabelText("Nota")).toHaveValue("Paga el lunes");
  });

  test("asks before its day or snooze is lost", async () => {
    const { user } = renderPage("/renewals");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Persona luis»" }));
    await user.click(
      await screen.findByRole("menuitem", { name: "Marcar a «Persona luis» como contactado" }),
    );
    const dialog = within(await screen.findByRole("dialog", { name: "Contacto con Persona luis" }));
    await user.selectOptions(await dialog.findByLabelText("Posponer"), "7 días");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(dialog.getByLabelText("Posponer")).toHaveValue("7");
  });
});

describe("the message", () => {
  async function openMessage() {
    const page = renderPage("/renewals");
    await page.user.click(await screen.findByRole("button", { name: "Escribir a «Persona luis»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Mensaje para Persona luis" }));
    return { ...page, dialog, text: await dialog.findByRole("textbox", { name: "Texto" }) };
  }

  test("survives a crash as it was typed over, until it is sent", async () => {
    const first = await openMessage();
    await first.user.clear(first.text);
    await first.user.type(first.text, "Hola otra vez");
    await waitFor(() => expect(localDraft("ana", "message luis")?.values.message).toBe("Hola otra vez"));
    losePage();
    const { user, dialog, text } = await openMessage();
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect(text).toHaveValue("Hola otra vez");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await waitFor(() => expect(localDraft("ana", "message luis")).toBeUndefined());
    expect(text).toHaveValue("Hola otra vez");
  });

  test("is restored with the message and the language that it was made from", async () => {
    const first = await openMessage();
    await first.user.selectOptions(first.dialog.getByLabelText("Mensaje"), "2");
    await first.user.selectOptions(first.dialog.getByLabelText("Idioma"), "en");
    await first.user.type(first.text, " Hurry");
    await waitFor(() => expect(localDraft("ana", "message luis")?.values.message).toMatch(/Hurry$/));
    losePage();
    const { user, dialog, text } = await openMessage();
    await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
    expect((text as HTMLTextAreaElement).value).toMatch(/Hurry$/);
    expect(dialog.getByLabelText("Mensaje")).toHaveValue("2");
    expect(dialog.getByLabelText("Idioma")).toHaveValue("en");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await waitFor(() => expect(activity.sent[0]).toMatchObject({ body: { text: "Copiar: Último aviso" } }));
  });

  test("is not sent without a text", async () => {
    const { user, dialog, text } = await openMessage();
    await user.clear(text);
    for (const name of ["Correo", "WhatsApp", "Copiar"])
      expect(dialog.getByRole("button", { name })).toBeDisabled();
  });

  test("keeps what is typed while it is not copied", async () => {
    const { user, dialog, text } = await openMessage();
    let refuse = () => {};
    vi.spyOn(navigator.clipboard, "writeText").mockImplementationOnce(
      () =>
        new Promise((_, reject) => {
          refuse = () => reject(new Error("no clipboard"));
        }),
    );
    vi.spyOn(console, "warn").mockImplementationOnce(() => {});
    await user.type(text, "!");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await user.type(text, "?");
    await act(async () => refuse());
    expect((text as HTMLTextAreaElement).value).toMatch(/!\?$/);
  });

  test("is not proposed again once its dialog was left on purpose", async () => {
    const { user, dialog, text } = await openMessage();
    await user.type(text, "!");
    await waitFor(() => expect(localDraft("ana", "message luis")).toBeDefined());
    await user.click(dialog.getByRole("button", { name: "Cerrar" }));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(localDraft("ana", "message luis")).toBeUndefined();
  });

  test("is ready in both languages, with the customer's values", async () => {
    const { user, dialog, text } = await openMessage();
    expect(text).toHaveValue(
      "Hola, Persona luis: luis vence el 21 de noviembre de 2026. ¿La renovamos 1 mes?",
    );
    await user.selectOptions(dialog.getByLabelText("Idioma"), "en");
    const months = dialog.getByLabelText("Meses que ofreces");
    await user.clear(months);
    await user.type(months, "3");
    expect(text).toHaveValue(
      "Hello, Persona luis: luis ends on 21 November 2026. Shall we renew it for 3 months?",
    );
    await user.selectOptions(dialog.getByLabelText("Mensaje"), "2");
    expect(text).toHaveValue("Persona luis, it is the last day.");
  });

  test.each(["", "1,5"])("is not sent while its months are «%s»", async (typed) => {
    const { user, dialog, text } = await openMessage();
    const months = dialog.getByLabelText("Meses que ofreces");
    await user.clear(months);
    if (typed) await user.type(months, typed);
    expect(text).toHaveValue(
      "Hola, Persona luis: luis vence el 21 de noviembre de 2026. ¿La renovamos {months}?",
    );
    for (const name of ["Correo", "WhatsApp", "Copiar"])
      expect(dialog.getByRole("button", { name })).toBeDisabled();
    await user.selectOptions(dialog.getByLabelText("Mensaje"), "2");
    expect(dialog.getByRole("link", { name: "WhatsApp" })).toBeVisible();
    expect(dialog.getByRole("button", { name: "Copiar" })).toBeEnabled();
  });

  test("is the version that another user has corrected since it was read", async () => {
    const { user, dialog, text } = await openMessage();
    expect(text).toHaveValue(
      "Hola, Persona luis: luis vence el 21 de noviembre de 2026. ¿La renovamos 1 mes?",
    );
    await user.click(dialog.getByRole("button", { name: "Cerrar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    renewals.messages = sampleMessages.map((message) => ({ ...message, spanish: "Hola de nuevo, {name}." }));
    await user.click(screen.getByRole("button", { name: "Escribir a «Persona luis»" }));
    const again = within(await screen.findByRole("dialog", { name: "Mensaje para Persona luis" }));
    expect(await again.findByRole("textbox", { name: "Texto" })).toHaveValue("Hola de nuevo, Persona luis.");
  });

  test("and the list say the day on which it ends where the service is", async () => {
    backend.user = { ...backend.user, timeZone: "Pacific/Kiritimati" } as typeof backend.user;
    const { user, dialog, text } = await openMessage();
    expect(text).toHaveValue(
      "Hola, Persona luis: luis vence el 22 de noviembre de 2026. ¿La renovamos 1 mes?",
    );
    await user.selectOptions(dialog.getByLabelText("Posponer"), "7 días");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await dialog.findByText("Marcado como contactado");
    // Fourteen hours ahead of UTC.
    const then = new Date(Date.now() + (7 * 24 + 14) * 3_600_000).toISOString().slice(0, 10);
    expect(activity.sent[0]).toMatchObject({ body: { snoozedUntil: then } });
    expect(screen.getAllByText("22 nov 2026")).not.toHaveLength(0);
  });

  test("to a customer without an end is none that names the end", async () => {
    renewals.customers = [sampleCustomer("luis", { expirationDate: null })];
    const { dialog, text } = await openMessage();
    const options = within(dialog.getByLabelText("Mensaje")).getAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual(["Último aviso"]);
    expect(text).toHaveValue("Persona luis, es el último día.");
    expect(dialog.getByText(/no tiene fecha de vencimiento/)).toBeVisible();
    cleanup();
    renewals.messages = sampleMessages.slice(0, 1);
    const own = await openMessage();
    expect(own.text).toHaveValue("");
    await own.user.type(own.text, "¿Qué tal va todo?");
    expect(own.dialog.getByRole("link", { name: "WhatsApp" })).toHaveAttribute(
      "href",
      `https://wa.me/34600123456?text=${encodeURIComponent("¿Qué tal va todo?")}`,
    );
  });

  test("asks before a text that was changed is written anew", async () => {
    const { user, dialog, text } = await openMessage();
    await user.clear(text);
    await user.type(text, "Solo para ti");
    await user.selectOptions(dialog.getByLabelText("Mensaje"), "2");
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(text).toHaveValue("Solo para ti");
    await user.selectOptions(dialog.getByLabelText("Idioma"), "en");
    await user.click(await screen.findByRole("button", { name: "Volver a escribir" }));
    await waitFor(() =>
      expect(text).toHaveValue(
        "Hello, Persona luis: luis ends on 21 November 2026. Shall we renew it for 1 month?",
      ),
    );
  });

  test("is copied, and sent by WhatsApp or e-mail as it stands in the field", async () => {
    const { user, dialog, text } = await openMessage();
    await user.clear(text);
    await user.type(text, "¿Renovamos? 100 % & más");
    const sent = encodeURIComponent("¿Renovamos? 100 % & más");
    expect(dialog.getByRole("link", { name: "WhatsApp" })).toHaveAttribute(
      "href",
      `https://wa.me/34600123456?text=${sent}`,
    );
    expect(dialog.getByRole("link", { name: "Correo" })).toHaveAttribute(
      "href",
      `mailto:luis@example.com?subject=Aviso%20de%20vencimiento&body=${sent}`,
    );
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    expect(await dialog.findByRole("button", { name: "Copiado" })).toBeVisible();
    expect(await navigator.clipboard.readText()).toBe("¿Renovamos? 100 % & más");
  });

  test("that was changed needs a confirmation to be closed, unless it was copied", async () => {
    const { user, dialog, text } = await openMessage();
    await user.type(text, " Un abrazo");
    await user.click(dialog.getByRole("button", { name: "Cerrar" }));
    const question = within(await screen.findByRole("dialog", { name: "¿Salir sin guardar?" }));
    await user.click(question.getByRole("button", { name: "Seguir editando" }));
    expect((text as HTMLTextAreaElement).value).toMatch(/ Un abrazo$/);
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await dialog.findByRole("button", { name: "Copiado" });
    await user.click(dialog.getByRole("button", { name: "Cerrar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("marks the customer as contacted once, unless that is not wanted", async () => {
    const { user, dialog } = await openMessage();
    await user.selectOptions(dialog.getByLabelText("Posponer"), "7 días");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    expect(await dialog.findByText("Marcado como contactado")).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Copiado" }));
    expect(activity.sent).toHaveLength(1);
    expect(activity.sent[0]).toMatchObject({
      username: "luis",
      body: { kind: "CONTACT", text: "Copiar: Aviso de vencimiento", snoozedUntil: expect.any(String) },
    });
    cleanup();
    const again = await openMessage();
    await again.user.click(again.dialog.getByRole("checkbox", { name: /Marcar como contactado/ }));
    await again.user.click(again.dialog.getByRole("button", { name: "Copiar" }));
    await again.dialog.findByRole("button", { name: "Copiado" });
    expect(activity.sent).toHaveLength(1);
  });

  test("to several customers is written one after the other, with the chosen template", async () => {
    const { user } = renderPage("/renewals");
    for (const name of ["luis", "pablo"]) await user.click(await box(name));
    const bar = within(screen.getByRole("region", { name: "Clientes seleccionados" }));
    await user.click(bar.getByRole("button", { name: "Escribir" }));
    const dialog = within(await screen.findByRole("dialog"));
    // The subscription that ended first comes first.
    await user.selectOptions(await dialog.findByLabelText("Mensaje"), "2");
    expect(dialog.getByText("1 de 2")).toBeVisible();
    expect(dialog.getByRole("textbox", { name: "Texto" })).toHaveValue("Persona pablo, es el último día.");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await user.click(dialog.getByRole("button", { name: "Siguiente" }));
    expect(dialog.getByRole("textbox", { name: "Texto" })).toHaveValue("Persona luis, es el último día.");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await waitFor(() => expect(activity.sent.map(({ username }) => username)).toEqual(["pablo", "luis"]));
    await user.click(dialog.getByRole("button", { name: "Terminar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("a contact is saved once it is answered, however long the list takes", async () => {
    const { user } = renderPage("/renewals");
    for (const name of ["luis", "pablo"]) await user.click(await box(name));
    const bar = within(screen.getByRole("region", { name: "Clientes seleccionados" }));
    await user.click(bar.getByRole("button", { name: "Escribir" }));
    const dialog = within(await screen.findByRole("dialog"));
    const copy = await dialog.findByRole("button", { name: "Copiar" });
    server.use(http.get("/api/renewals", () => delay("infinite")));
    await user.click(copy);
    expect(await dialog.findByText("Marcado como contactado")).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Siguiente" }));
    expect(await dialog.findByText("2 de 2")).toBeVisible();
  });

  test("a contact that was not saved is not left behind without a question, and can be sent again", async () => {
    server.use(http.post("/api/users/:username/notes", () => problem(503, {}), { once: true }));
    const { user } = renderPage("/renewals");
    for (const name of ["luis", "pablo"]) await user.click(await box(name));
    const bar = within(screen.getByRole("region", { name: "Clientes seleccionados" }));
    await user.click(bar.getByRole("button", { name: "Escribir" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.selectOptions(await dialog.findByLabelText("Posponer"), "7 días");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    expect(await dialog.findByText("No se pudo guardar el contacto")).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Siguiente" }));
    const question = within(await screen.findByRole("dialog", { name: "¿Seguir sin guardar el contacto?" }));
    await user.click(question.getByRole("button", { name: "Cancelar" }));
    expect(dialog.getByText("1 de 2")).toBeVisible();
    // What is chosen now is saved, not what was chosen first.
    await user.selectOptions(dialog.getByLabelText("Posponer"), "No posponer");
    await user.click(dialog.getByRole("button", { name: "Reintentar" }));
    expect(await dialog.findByText("Marcado como contactado")).toBeVisible();
    expect(activity.sent).toMatchObject([
      { username: "pablo", body: { kind: "CONTACT", snoozedUntil: null } },
    ]);
    await user.click(dialog.getByRole("button", { name: "Siguiente" }));
    expect(await dialog.findByText("2 de 2")).toBeVisible();
  });

  test("a failed contact does not block the dialog once marking it is deselected", async () => {
    server.use(http.post("/api/users/:username/notes", () => problem(503, {})));
    const { user } = renderPage("/renewals");
    for (const name of ["luis", "pablo"]) await user.click(await box(name));
    const bar = within(screen.getByRole("region", { name: "Clientes seleccionados" }));
    await user.click(bar.getByRole("button", { name: "Escribir" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(await dialog.findByRole("button", { name: "Copiar" }));
    await user.click(dialog.getByRole("checkbox", { name: "Marcar como contactado al copiar o enviar" }));
    await waitFor(() => expect(dialog.queryByRole("button", { name: "Reintentar" })).toBeNull());
    await user.click(dialog.getByRole("button", { name: "Siguiente" }));
    expect(await dialog.findByText("2 de 2")).toBeVisible();
  });

  test("remembers the language of each customer who has none", async () => {
    const { user, dialog } = await openMessage();
    await user.selectOptions(dialog.getByLabelText("Idioma"), "en");
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    cleanup();
    const again = await openMessage();
    expect(again.dialog.getByLabelText("Idioma")).toHaveValue("en");
  });

  test("is in the customer's language, and the seller may choose the other one", async () => {
    renewals.customers = [sampleCustomer("luis", { language: "en" })];
    const { user, dialog, text } = await openMessage();
    expect(dialog.getByLabelText("Idioma")).toHaveValue("en");
    expect((text as HTMLTextAreaElement).value).toMatch(/^Hello, Persona luis/);
    await user.selectOptions(dialog.getByLabelText("Idioma"), "es");
    expect((text as HTMLTextAreaElement).value).toMatch(/^Hola, Persona luis/);
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    cleanup();
    // Of this message only.
    const again = await openMessage();
    expect(again.dialog.getByLabelText("Idioma")).toHaveValue("en");
  });

  test("says what a customer lacks", async () => {
    renewals.customers = [sampleCustomer("luis", { phoneNumber: "", internationalNumber: null, email: "" })];
    const { dialog } = await openMessage();
    expect(dialog.getByRole("button", { name: "WhatsApp: sin teléfono" })).toBeDisabled();
    expect(dialog.getByRole("button", { name: "Correo: sin dirección" })).toBeDisabled();
    expect(dialog.queryByText(/prefijo internacional/)).not.toBeInTheDocument();
  });

  test("has no WhatsApp link for a number without its country, and says why", async () => {
    renewals.customers = [sampleCustomer("luis", { phoneNumber: "600 123 456", internationalNumber: null })];
    const { dialog } = await openMessage();
    expect(dialog.getByText(/prefijo internacional/)).toBeVisible();
    expect(dialog.getByRole("button", { name: "WhatsApp: sin prefijo" })).toBeDisabled();
    expect(dialog.queryByRole("link", { name: "WhatsApp" })).not.toBeInTheDocument();
  });

  test("warns of a long number without its country, which has a link", async () => {
    const internationalNumber = { digits: "34600111222", assumed: true };
    renewals.customers = [sampleCustomer("luis", { phoneNumber: "34600111222", internationalNumber })];
    const { dialog } = await openMessage();
    expect(dialog.getByText(/prefijo internacional/)).toBeVisible();
    expect(dialog.getByRole("link", { name: "WhatsApp" })).toBeVisible();
  });

  test("writes in WhatsApp to the number with its country", async () => {
    const internationalNumber = { digits: "525512345678", assumed: false };
    renewals.customers = [sampleCustomer("luis", { phoneNumber: "55 1234 5678", internationalNumber })];
    const { dialog } = await openMessage();
    const link = dialog.getByRole("link", { name: "WhatsApp" });
    expect(link).toHaveAttribute("href", expect.stringMatching(/^https:\/\/wa\.me\/525512345678\?text=/));
    expect(dialog.queryByText(/prefijo internacional/)).not.toBeInTheDocument();
  });
});
