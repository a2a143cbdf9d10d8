// The page of a user: what it shows and asks for by permission, notes, contacts and actions.
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { reloadKeepingDrafts } from "../../loading/reload";
import { backend, problem } from "../../testing/backend";
import { sampleMovement, setMovements } from "../../testing/credits";
import { activity } from "../../testing/notes";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "ana", roleCode, roleName: "", permissions };
}

beforeEach(() => {
  be("agent", ["USER_READ", "USER_UPDATE", "CREDIT_HISTORY_READ"]);
  setMovements();
  users.all = [
    sampleUser("luis", {
      expirationDate: "2026-12-20T23:59:59.999Z",
      status: "INACTIVE",
      credits: 2,
      playback: { mayPlay: false, reason: "INACTIVE" },
      registeredBy: "ana",
    }),
    sampleUser("eva", { roleCode: "agent", saleCredits: 40 }),
  ];
  activity.devices = [{ device: "Android TV", lastSeen: "2026-11-20T09:00:00Z", visits: 2 }];
  activity.visits = [
    {
      id: 1,
      occurredAt: "2026-11-20T09:00:00Z",
      kind: "VISIT",
      device: "Android TV",
      address: null,
      content: { contentType: "MOVIE", contentId: 7, title: "Abre los ojos" },
    },
  ];
  activity.reports = [
    {
      id: 3,
      title: "Se corta",
      contentType: "MOVIE",
      content: "Abre los ojos",
      reportType: "BUFFERING",
      status: "REPORTADO",
      reportedDate: "2026-11-19T09:00:00Z",
      updatedDate: "2026-11-19T09:00:00Z",
    },
  ];
});

const part = async (name: string) => within(await screen.findByRole("region", { name }));

describe("what it shows", () => {
  test("the subscription, what the app sees and why, and what the customer does", async () => {
    renderPage("/users/luis");
    expect(await screen.findByRole("heading", { level: 1, name: "Persona luis" })).toBeVisible();
    const subscription = await part("Suscripción");
    expect(subscription.getByText("No puede reproducir")).toBeVisible();
    expect(subscription.getByText("Su cuenta está desactivada.")).toBeVisible();
    expect((await part("Dispositivos")).getByText("2 visitas")).toBeVisible();
    expect((await part("Últimas visitas")).getByText("Abre los ojos (Película)")).toBeVisible();
    const reports = await part("Errores que ha reportado");
    expect(reports.getByText("Se corta")).toBeVisible();
    expect(screen.getByRole("link", { name: "+34 600 123 456" })).toHaveAttribute(
      "href",
      "tel:+34 600 123 456",
    );
  });

  test("parts without permission are neither shown nor requested", async () => {
    be("agent", ["USER_READ"]);
    renderPage("/users/luis");
    await part("Últimas visitas");
    expect(screen.queryByRole("region", { name: "Movimientos de créditos" })).not.toBeInTheDocument();
    expect(screen.queryByRole("link", { name: "Ver todas" })).not.toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /Renovar|Escribir/ })).not.toBeInTheDocument();
    expect(screen.queryByRole("textbox", { name: /Nota nueva/ })).not.toBeInTheDocument();
    await part("Notas");
    expect(backend.requests.filter((one) => /credits|sessions/.test(one))).toEqual([]);
  });

  test("a report is a link for those who read reports", async () => {
    renderPage("/users/luis");
    await (await part("Errores que ha reportado")).findByText("Se corta");
    expect(screen.queryByRole("link", { name: "Se corta" })).not.toBeInTheDocument();
    cleanup();
    be("admin", ["USER_READ", "ISSUES_READ"]);
    renderPage("/users/luis");
    const link = await (await part("Errores que ha reportado")).findByRole("link", { name: "Se corta" });
    expect(link).toHaveAttribute("href", "/issues?tab=all&report=3");
  });

  test("an agent's has the stock and the statement, and users can't read the notes about themselves", async () => {
    renderPage("/users/eva");
    expect((await part("Créditos para venta")).getAllByText(/40/)[0]).toBeVisible();
    expect(screen.queryByRole("region", { name: "Suscripción" })).not.toBeInTheDocument();
    cleanup();
    backend.user = { username: "eva", roleCode: "agent", roleName: "", permissions: ["USER_READ"] };
    renderPage("/users/eva");
    await part("Créditos para venta");
    expect(screen.queryByRole("region", { name: "Notas" })).not.toBeInTheDocument();
  });

  test("the registrar is a link, of an agent's own customers and those of the agents below, not above", async () => {
    users.all = [
      sampleUser("luis", { registeredBy: "eva" }),
      sampleUser("eva", { roleCode: "agent", registeredBy: "ana" }),
      sampleUser("ana", { roleCode: "agent", registeredBy: "jefa" }),
    ];
    for (const [username, registrar] of [
      ["luis", "eva"],
      ["eva", "ana"],
    ] as const) {
      renderPage(`/users/${username}`);
      const link = await screen.findByRole("link", { name: registrar });
      expect(link).toHaveAttribute("href", `/users/${registrar}`);
      cleanup();
    }
    renderPage("/users/ana");
    expect(await screen.findByText("jefa")).toBeVisible();
    expect(screen.queryByRole("link", { name: "jefa" })).not.toBeInTheDocument();
  });

  test("says who is not there", async () => {
    renderPage("/users/nadie");
    expect(await screen.findByText("Este usuario no existe o no es de tus clientes.")).toBeVisible();
    expect(screen.getByRole("link", { name: "Volver a Usuarios" })).toBeVisible();
  });
});

describe("a mistaken sale", () => {
  const luis = { username: "luis", fullName: "Persona luis" };

  test("is reversed from its movement", async () => {
    be("admin", ["USER_READ", "CREDIT_HISTORY_READ"]);
    setMovements(sampleMovement(7, { targetUser: luis }));
    const { user } = renderPage("/users/luis");
    const movements = await part("Movimientos de créditos");
    await user.click(await movements.findByRole("button", { name: "Revertir +3 de Persona luis" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Revertir movimiento" }));
    await user.click(dialog.getByRole("button", { name: "Revertir" }));
    expect(await movements.findByText("Revertido")).toBeVisible();
    expect(movements.queryByRole("button", { name: /Revertir/ })).not.toBeInTheDocument();
    expect(backend.requests).toContain("POST /api/credits/7/reverse");
  });

  test("and its reversal are marked as such", async () => {
    setMovements(
      sampleMovement(8, {
        targetUser: luis,
        operationType: "DEDUCT_CREDITS",
        amount: -3,
        reversesOperationId: 7,
      }),
      sampleMovement(7, { targetUser: luis, reversed: true }),
    );
    renderPage("/users/luis");
    const movements = await part("Movimientos de créditos");
    expect(await movements.findByText("Reversión")).toBeVisible();
    expect(movements.getByText("Revertido")).toBeVisible();
  });

  test("of another agent has no reversal", async () => {
    setMovements(sampleMovement(7, { targetUser: luis }));
    renderPage("/users/luis");
    const movements = await part("Movimientos de créditos");
    expect(await movements.findByText("+3")).toBeVisible();
    expect(movements.queryByRole("button", { name: /Revertir/ })).not.toBeInTheDocument();
  });
});

test("a customer deleted or moved since the last visit is not shown again", async () => {
  const { router } = renderPage("/users/luis");
  expect(await screen.findByRole("heading", { level: 1, name: "Persona luis" })).toBeVisible();
  await act(() => router.navigate("/users"));
  await screen.findByRole("link", { name: "Persona luis" });
  users.all = users.all.filter(({ username }) => username !== "luis");
  await act(() => router.navigate("/users/luis"));
  expect(await screen.findByText("Este usuario no existe o no es de tus clientes.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Renovar" })).not.toBeInTheDocument();
});

describe("what is done there", () => {
  test("a note is added, and deleted while that is possible", async () => {
    const { user } = renderPage("/users/luis");
    const notes = await part("Notas");
    const add = await notes.findByRole("button", { name: "Añadir nota" });
    expect(add).toBeDisabled();
    await user.type(notes.getByRole("textbox", { name: /Nota nueva/ }), "Paga en efectivo");
    await user.click(add);
    expect(await notes.findByText("Paga en efectivo", { selector: "p" })).toBeVisible();
    expect(activity.sent).toEqual([
      {
        username: "luis",
        body: { kind: "NOTE", text: "Paga en efectivo", contactedOn: null, snoozedUntil: null },
      },
    ]);
    await user.click(notes.getByRole("button", { name: "Borrar la nota" }));
    await user.click(
      within(await screen.findByRole("dialog", { name: "Borrar la nota" })).getByRole("button", {
        name: "Eliminar",
      }),
    );
    expect(await notes.findByText("Todavía no hay notas.")).toBeVisible();
  });

  test("what is typed while a note is being added stays", async () => {
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    server.use(http.post("/api/users/luis/notes", () => held.then(() => undefined)));
    const { user } = renderPage("/users/luis");
    const notes = await part("Notas");
    const field = await notes.findByRole("textbox", { name: /Nota nueva/ });
    await user.type(field, "Paga");
    await user.click(notes.getByRole("button", { name: "Añadir nota" }));
    await user.type(field, " en mano");
    answer();
    expect(await notes.findByText("Paga", { selector: "p" })).toBeVisible();
    expect(field).toHaveValue("Paga en mano");
  });

  test("a note that was not added is not lost by leaving the page", async () => {
    const { user, address } = renderPage("/users/luis", { initialEntries: ["/users", "/users/luis"] });
    const notes = await part("Notas");
    await user.type(await notes.findByRole("textbox", { name: /Nota nueva/ }), "Paga en efectivo");
    await user.click(screen.getByRole("link", { name: "Volver a Usuarios" }));
    const question = within(await screen.findByRole("dialog", { name: "¿Salir sin guardar?" }));
    await user.click(question.getByRole("button", { name: "Seguir editando" }));
    expect(address()).toBe("/users/luis");
    expect(notes.getByRole("textbox", { name: /Nota nueva/ })).toHaveValue("Paga en efectivo");
    await user.click(notes.getByRole("button", { name: "Añadir nota" }));
    expect(await notes.findByText("Paga en efectivo", { selector: "p" })).toBeVisible();
    await user.click(screen.getByRole("link", { name: "Volver a Usuarios" }));
    await waitFor(() => expect(address()).toBe("/users"));
  });

  test("a note is not lost behind the empty dialog of credits, and stored by a reload of the panel", async () => {
    const { user, router, address } = renderPage("/users/luis");
    const notes = await part("Notas");
    await user.type(await notes.findByRole("textbox", { name: /Nota nueva/ }), "Paga en efectivo");
    vi.spyOn(console, "error").mockImplementation(() => {}); // jsdom cannot reload.
    reloadKeepingDrafts();
    expect(window.dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(true);
    window.dispatchEvent(new Event("pagehide"));
    expect(localDraft("ana", "note luis")?.values.text).toBe("Paga en efectivo");
    await user.click(await screen.findByRole("button", { name: "Renovar" }));
    await screen.findByRole("dialog", { name: /[Cc]réditos/ });
    await act(() => router.navigate("/settings/sessions"));
    await screen.findByRole("dialog", { name: "¿Salir sin guardar?" });
    expect(address()).toContain("/users/luis");
  });

  test("a contact with a day, a note and a snooze", async () => {
    const { user } = renderPage("/users/luis");
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Persona luis»" }));
    await user.click(await screen.findByRole("menuitem", { name: /como contactado/ }));
    const dialog = within(await screen.findByRole("dialog", { name: "Contacto con Persona luis" }));
    await user.type(await dialog.findByRole("textbox", { name: /^Nota/ }), "Llamará el lunes");
    await user.selectOptions(dialog.getByRole("combobox", { name: /Posponer/ }), "3 días");
    await user.click(dialog.getByRole("button", { name: "Guardar" }));
    await waitFor(() => expect(activity.sent).toHaveLength(1));
    expect(activity.sent[0]?.body).toMatchObject({
      kind: "CONTACT",
      text: "Llamará el lunes",
      contactedOn: null,
      snoozedUntil: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(await (await part("Notas")).findByText(/^Contactado el/)).toBeVisible();
  });

  test("the day of a snooze is the same in every time zone of the service", async () => {
    backend.user = { ...backend.user, timeZone: "Pacific/Kiritimati" } as typeof backend.user;
    activity.snooze = { until: "2026-12-01", author: "eva", createdDate: "2026-11-20T10:00:00Z" };
    renderPage("/users/luis");
    const subscription = await part("Suscripción");
    expect(await subscription.findByText("Pospuesto hasta el 1 dic 2026 por eva")).toBeVisible();
  });

  test("a snooze that failed to load is not shown as none", async () => {
    server.use(http.get("/api/users/:username/snooze", () => problem(403, { message: "No se puede leer." })));
    activity.snooze = { until: "2026-12-01", author: "eva", createdDate: "2026-11-20T10:00:00Z" };
    const { user } = renderPage("/users/luis");
    const subscription = await part("Suscripción");
    expect(await subscription.findByText("No se puede leer.")).toBeVisible();
    expect(subscription.queryByText("Se muestra cuando le toca")).not.toBeInTheDocument();
    server.resetHandlers();
    await user.click(subscription.getByRole("button", { name: "Reintentar" }));
    expect(await subscription.findByText(/^Pospuesto hasta/)).toBeVisible();
  });

  test("who is snoozed is shown again", async () => {
    activity.snooze = { until: "2026-12-01", author: "eva", createdDate: "2026-11-20T10:00:00Z" };
    const { user } = renderPage("/users/luis");
    const subscription = await part("Suscripción");
    expect(await subscription.findByText("Pospuesto hasta el 1 dic 2026 por eva")).toBeVisible();
    await user.click(subscription.getByRole("button", { name: "Mostrar de nuevo" }));
    expect(await subscription.findByText("Se muestra cuando le toca")).toBeVisible();
  });
});
