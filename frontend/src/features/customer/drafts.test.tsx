// Notes and contacts that a crash of the browser interrupts.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { localDraft, storeLocalDraft } from "../../forms/localDraft";
import { backend } from "../../testing/backend";
import { losePage } from "../../testing/leaving";
import { activity } from "../../testing/notes";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "agent",
    roleName: "",
    permissions: ["USER_READ", "USER_UPDATE"],
  };
  users.all = [sampleUser("luis", { registeredBy: "ana" }), sampleUser("eva", { registeredBy: "ana" })];
});

async function openNote(username = "luis") {
  const { user } = renderPage(`/users/${username}`);
  const notes = within(await screen.findByRole("region", { name: "Notas" }));
  return { user, notes, field: await notes.findByRole("textbox", { name: /Nota nueva/ }) };
}

test("a note survives a crash, on the page of its customer alone, and is gone once it is added", async () => {
  const first = await openNote();
  await first.user.type(first.field, "Paga en efectivo");
  await waitFor(() => expect(localDraft("ana", "note luis")?.values.text).toBe("Paga en efectivo"));
  losePage();

  const other = await openNote("eva");
  expect(other.notes.queryByRole("button", { name: "Recuperar" })).not.toBeInTheDocument();
  losePage();

  const { user, notes, field } = await openNote();
  expect(field).toHaveValue("");
  await user.click(await notes.findByRole("button", { name: "Recuperar" }));
  expect(field).toHaveValue("Paga en efectivo");
  await user.click(notes.getByRole("button", { name: "Añadir nota" }));
  expect(await notes.findByText("Paga en efectivo", { selector: "p" })).toBeVisible();
  expect(field).toHaveValue("");
  expect(localDraft("ana", "note luis")).toBeUndefined();
});

/** The keys of the notes that are sent; the answer to the first is lost. */
function keysOfNotes(): (string | null)[] {
  const keys: (string | null)[] = [];
  server.use(
    http.post("/api/users/luis/notes", ({ request }) => {
      keys.push(request.headers.get("idempotency-key"));
      return keys.length === 1 ? new Promise<never>(() => {}) : undefined;
    }),
  );
  return keys;
}

test("a note whose answer a crash took is sent again under its key", async () => {
  const keys = keysOfNotes();
  const first = await openNote();
  await first.user.type(first.field, "Paga en efectivo");
  await first.user.click(first.notes.getByRole("button", { name: "Añadir nota" }));
  await waitFor(() => expect(keys).toHaveLength(1));
  losePage();

  const { user, notes, field } = await openNote();
  await user.click(await notes.findByRole("button", { name: "Recuperar" }));
  expect(field).toHaveValue("Paga en efectivo");
  await user.click(notes.getByRole("button", { name: "Añadir nota" }));
  await waitFor(() => expect(localDraft("ana", "note luis")).toBeUndefined());
  expect(keys).toEqual([expect.any(String), keys[0]]);
  // The same text once more is another note.
  await user.type(field, "Paga en efectivo");
  await user.click(notes.getByRole("button", { name: "Añadir nota" }));
  await waitFor(() => expect(keys).toHaveLength(3));
  expect(keys[2]).not.toBe(keys[0]);
});

test("a draft names the field whose text it would replace", async () => {
  storeLocalDraft("ana", "note luis", { values: { text: "Paga en efectivo" } });
  const { user, notes, field } = await openNote();
  await user.type(field, "Otra");
  await user.click(await notes.findByRole("button", { name: "Recuperar" }));
  const question = within(await screen.findByRole("dialog"));
  expect(question.getByText(/Nota nueva/)).toBeVisible();
});

test("a proposed note stays stored when its page is left without an answer", async () => {
  storeLocalDraft("ana", "note luis", { values: { text: "Paga en efectivo" } });
  const { notes } = await openNote();
  await notes.findByRole("button", { name: "Recuperar" });
  cleanup();
  expect(localDraft("ana", "note luis")?.values.text).toBe("Paga en efectivo");
});

async function openContact() {
  const { user } = renderPage("/users/luis");
  await user.click(await screen.findByRole("button", { name: "Más acciones para «Persona luis»" }));
  await user.click(await screen.findByRole("menuitem", { name: /como contactado/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Contacto con Persona luis" }));
  return { user, dialog, text: await dialog.findByRole("textbox", { name: /^Nota/ }) };
}

test("a contact survives a crash with its snooze, and is gone once it is saved or discarded", async () => {
  const first = await openContact();
  await first.user.type(first.text, "Llamará el lunes");
  await first.user.selectOptions(first.dialog.getByRole("combobox", { name: /Posponer/ }), "3 días");
  await waitFor(() => expect(localDraft("ana", "contact luis")?.values.snooze).toBe(3));
  losePage();

  const second = await openContact();
  await second.user.click(await second.dialog.findByRole("button", { name: "Recuperar" }));
  expect(second.text).toHaveValue("Llamará el lunes");
  await second.user.click(second.dialog.getByRole("button", { name: "Guardar" }));
  await waitFor(() => expect(activity.sent).toHaveLength(1));
  expect(activity.sent[0]?.body).toMatchObject({
    text: "Llamará el lunes",
    contactedOn: null,
    snoozedUntil: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  await waitFor(() => expect(localDraft("ana", "contact luis")).toBeUndefined());
});

test("a contact whose answer a crash took is sent again under its key", async () => {
  const keys = keysOfNotes();
  const first = await openContact();
  await first.user.type(first.text, "Llamará el lunes");
  await first.user.click(first.dialog.getByRole("button", { name: "Guardar" }));
  await waitFor(() => expect(keys).toHaveLength(1));
  losePage();

  const second = await openContact();
  await second.user.click(await second.dialog.findByRole("button", { name: "Recuperar" }));
  await second.user.click(second.dialog.getByRole("button", { name: "Guardar" }));
  await waitFor(() => expect(keys).toHaveLength(2));
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

test("a contact that is closed with its changes on purpose is not proposed again", async () => {
  const { user, dialog, text } = await openContact();
  await user.type(text, "Llamará el lunes");
  await waitFor(() => expect(localDraft("ana", "contact luis")).toBeDefined());
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(localDraft("ana", "contact luis")).toBeUndefined();
});
