// Renewals: the list, the preview of a bulk renewal, and that no customer is charged twice.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { renewals, sampleCustomer, sellOnce } from "../../testing/renewals";
import { box, openDialog, setRenewals } from "../../testing/renewalsPage";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";

beforeEach(setRenewals);

describe("the list", () => {
  test("has a tab with its count for each window, and the search goes along", async () => {
    const { user, address } = renderPage("/renewals?search=per");
    const tabs = within(await screen.findByRole("navigation", { name: "Cuándo vence" }));
    expect(await tabs.findByRole("link", { name: /30 días.*4\.800/ })).toBeVisible();
    expect(tabs.getByRole("link", { current: "page" })).toHaveTextContent("7 días");
    await user.click(tabs.getByRole("link", { name: /Vencidos/ }));
    await waitFor(() => expect(renewals.listed).toContain("EXPIRED per"));
    expect(address()).toBe("/renewals?search=per&window=expired");
  });

  test("of those who have ended is ordered by its heading, first the last and then the first", async () => {
    const { user } = renderPage("/renewals?window=expired");
    const heading = await screen.findByRole("button", { name: "Vencimiento" });
    const lastOrder = () =>
      backend.requests.findLast((one) => one.startsWith("GET /api/renewals?"))?.match(/_sort=([-\w]+)/)?.[1];
    await waitFor(() => expect(lastOrder()).toBe("-expirationDate"));
    await user.click(heading);
    await waitFor(() => expect(lastOrder()).toBe("expirationDate"));
    await user.click(heading);
    await waitFor(() =>
      expect(screen.getByRole("columnheader", { name: "Vencimiento" })).toHaveAttribute(
        "aria-sort",
        "descending",
      ),
    );
  });

  test("shows who cannot use the service, and how to contact each customer", async () => {
    renderPage("/renewals");
    expect(await screen.findByText("Suspendido")).toBeVisible();
    expect(screen.getByText("luis@example.com")).toBeVisible();
    expect(screen.getByRole("link", { name: "Persona luis" })).toHaveAttribute("href", "/users/luis");
  });

  test("says who was contacted and who is snoozed, and lists those apart", async () => {
    renewals.customers = [
      sampleCustomer("luis", {
        lastContact: { contactedOn: "2026-11-18", author: "eva", text: "Llamará" },
        snoozedUntil: "2026-12-01",
      }),
    ];
    const { user } = renderPage("/renewals?snoozed=true");
    expect(await screen.findByText("Pospuesto hasta el 1 dic 2026")).toBeVisible();
    expect(screen.getByRole("heading", { name: /Renovaciones pospuestas/ })).toBeVisible();
    expect(backend.requests).toContain(
      "GET /api/renewals?window=DAYS_7&_page=0&_size=25&_sort=expirationDate&snoozed=true",
    );
    expect(backend.requests).toContain("GET /api/renewals/counts?snoozed=true");
    await user.click(screen.getByRole("button", { name: "Más acciones para «Persona luis»" }));
    await user.click(await screen.findByRole("menuitem", { name: "Mostrar de nuevo a «Persona luis»" }));
    expect(await screen.findByText("«Persona luis» vuelve a mostrarse")).toBeVisible();
  });

  test("says where the customers of the windows could not be counted, and counts them on a retry", async () => {
    server.use(http.get("/api/renewals/counts", () => problem(403, { message: "Hoy no." }), { once: true }));
    const { user } = renderPage("/renewals");
    const failure = within(await screen.findByRole("alert", { name: "No se pudieron contar los clientes" }));
    await user.click(failure.getByRole("button", { name: "Reintentar" }));
    expect(await screen.findByRole("link", { name: /30 días.*4\.800/ })).toBeVisible();
  });

  test("is older than the quote, which says when a subscription ends now", async () => {
    const { user } = renderPage("/renewals");
    await user.click(await box("luis"));
    // A colleague sells a month meanwhile.
    renewals.customers = [sampleCustomer("luis", { expirationDate: "2026-12-21T12:00:00Z" })];
    const bar = within(screen.getByRole("region", { name: "Clientes seleccionados" }));
    await user.click(bar.getByRole("button", { name: "Renovar" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(await dialog.findByText(/21 dic 2026/)).toBeVisible();
  });

  test("is in the menu of users who may sell, and closed to others", async () => {
    backend.user = { username: "gestor", roleCode: "contentManager", roleName: "", permissions: [] };
    const { address } = renderPage("/renewals");
    await waitFor(() => expect(address()).toBe("/"));
  });
});

describe("the quote", () => {
  test("says the stock before and after, and each new end", async () => {
    const { user, dialog, months, ready } = await openDialog("luis", "marta");
    await ready();
    expect(dialog.getByText("Tus créditos para venta").nextSibling).toHaveTextContent("20");
    expect(dialog.getByText("Tus créditos para venta").nextSibling).toHaveTextContent("18");
    expect(dialog.getAllByText("25 ene 2027")).toHaveLength(2);
    await user.clear(months);
    await user.type(months, "6");
    await waitFor(() =>
      expect(dialog.getByText("Tus créditos para venta").nextSibling).toHaveTextContent(/20.*8$/),
    );
    expect(dialog.getByText("Créditos que se usan").nextSibling).toHaveTextContent("12");
  });

  test("of a customer who cannot be renewed has the end that there is", async () => {
    renewals.stock = 0;
    const { dialog } = await openDialog("marta");
    expect(await dialog.findByText("No hay créditos para venta suficientes (saldo: 0).")).toBeVisible();
    const line = within(dialog.getByRole("listitem"));
    expect(line.getByText("25 nov 2026")).toBeVisible();
    expect(line.queryByText("No vence")).toBeNull();
  });

  test.each(["1,5", "1.5"])("of %s months is refused, and does not become 15", async (typed) => {
    const { user, dialog, months, ready, submit } = await openDialog("luis");
    await ready();
    await user.clear(months);
    await user.type(months, typed);
    expect(await dialog.findByText("Un número entero de 1 a 1.200")).toBeVisible();
    expect(submit()).toBeDisabled();
  });

  test("needs a confirmation before the months of a customer are discarded, by closing it or by going back", async () => {
    const { user, router, address, dialog, ready } = await openDialog("luis", "marta");
    await ready();
    const own = dialog.getByRole("textbox", { name: "Meses para «Persona marta»" });
    await user.clear(own);
    await user.type(own, "6");
    const stay = async () => {
      const question = within(await screen.findByRole("dialog", { name: "¿Salir sin guardar?" }));
      await user.click(question.getByRole("button", { name: "Seguir editando" }));
      expect(own).toHaveValue("6");
    };
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await stay();
    await act(() => router.navigate("/users"));
    await stay();
    expect(address()).toBe("/renewals");
  });

  test("keeps the selection where nothing was sold", async () => {
    const { user, dialog } = await openDialog("luis", "marta");
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(await box("luis")).toBeChecked();
    expect(await box("marta")).toBeChecked();
  });

  test("leaves out whom the stock does not cover, with the reason", async () => {
    renewals.stock = 4;
    const { user, dialog, months, submit } = await openDialog("luis", "marta");
    await user.clear(months);
    await user.type(months, "3");
    expect(
      await dialog.findByText("1 cliente no se puede renovar y no se incluirá.", {}, { timeout: 5000 }),
    ).toBeVisible();
    expect(dialog.getByText("No hay créditos para venta suficientes (saldo: 1).")).toBeVisible();
    await waitFor(() => expect(submit()).toHaveAccessibleName("Renovar a 1 cliente"));
    const own = dialog.getByRole("textbox", { name: "Meses para «Persona marta»" });
    await user.clear(own);
    await user.type(own, "1");
    await waitFor(() => expect(submit()).toHaveAccessibleName("Renovar a 2 clientes"));
  });

  test("needs a confirmation if a subscription stays expired, for exactly the shown operation", async () => {
    const { user, dialog, months, submit, ready } = await openDialog("pablo");
    expect(await dialog.findByText("La suscripción seguirá vencida.")).toBeVisible();
    expect(submit()).toBeDisabled();
    await user.click(dialog.getByRole("checkbox", { name: /seguirán vencidas/ }));
    await ready();
    await user.clear(months);
    await user.type(months, "2");
    expect(submit()).toBeDisabled();
    await user.clear(months);
    await user.type(months, "3");
    await ready();
    expect(dialog.queryByRole("checkbox", { name: /seguirán vencidas/ })).not.toBeInTheDocument();
  });

  test("is not requested for what is no number of months", async () => {
    const { user, dialog, months, submit, ready } = await openDialog("luis");
    await ready();
    await user.clear(months);
    expect(dialog.getByText("Un número entero de 1 a 1.200")).toBeVisible();
    expect(submit()).toBeDisabled();
  });

  test("says what admins create instead of a stock", async () => {
    renewals.stock = null;
    const { dialog, ready } = await openDialog("luis");
    await ready();
    expect(dialog.getByText("Créditos que se crean").nextSibling).toHaveTextContent("1");
    expect(dialog.queryByText("Tus créditos para venta")).not.toBeInTheDocument();
  });
});

describe("the sale", () => {
  test("is one operation for each customer, with a key of its own, in the order in which they end", async () => {
    const { user, dialog, ready } = await openDialog("marta", "luis");
    await user.click(await ready());
    expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
    expect(renewals.sent.map(({ username }) => username)).toEqual(["luis", "marta"]);
    expect(new Set(renewals.sent.map(({ key }) => key)).size).toBe(2);
    expect(dialog.getAllByText("Renovado")).toHaveLength(2);
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(await box("luis")).not.toBeChecked();
    expect(sessionStorage).toHaveLength(0);
  });

  test("is followed by a message that says the new end", async () => {
    users.all = [sampleUser("luis", { expirationDate: "2026-11-21T23:59:59.999Z" })];
    const { user, dialog, ready } = await openDialog("luis");
    await user.click(await ready());
    await dialog.findByText("1 cliente renovado");
    await user.click(dialog.getByRole("button", { name: "Escribir a «Persona luis»" }));
    const message = within(await screen.findByRole("dialog", { name: "Mensaje para Persona luis" }));
    expect(await message.findByRole("textbox", { name: "Texto" })).toHaveValue(
      "Hola, Persona luis: luis vence el 25 de enero de 2027. ¿La renovamos 1 mes?",
    );
  });

  test("to one customer leaves the others selected", async () => {
    const { user } = renderPage("/renewals");
    for (const name of ["luis", "marta"]) await user.click(await box(name));
    await user.click(screen.getByRole("button", { name: "Renovar a «Persona luis»" }));
    const dialog = within(await screen.findByRole("dialog"));
    const submit = await dialog.findByRole("button", { name: "Renovar a 1 cliente" });
    await waitFor(() => expect(submit).toBeEnabled());
    await user.click(submit);
    expect(await dialog.findByText("1 cliente renovado")).toBeVisible();
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(await box("luis")).not.toBeChecked();
    expect(await box("marta")).toBeChecked();
  });

  test("is made where the browser stores nothing, and the list works there", async () => {
    for (const call of ["getItem", "setItem", "removeItem"] as const) {
      const refused = vi.spyOn(Storage.prototype, call).mockImplementation(() => {
        throw new DOMException("refused", "SecurityError");
      });
      onTestFinished(() => refused.mockRestore());
    }
    const { user, dialog, ready } = await openDialog("luis");
    await user.click(await ready());
    expect(await dialog.findByText("1 cliente renovado")).toBeVisible();
    expect(renewals.stock).toBe(19);
  });

  test("continues after a refusal, and a retry sells only to the others", async () => {
    const { user, dialog, ready } = await openDialog("luis", "marta", "pablo");
    await user.click(dialog.getByRole("checkbox", { name: /seguirán vencidas/ }));
    await ready();
    // Another user sold from the same stock meanwhile.
    renewals.stock = 1;
    await user.click(await ready());
    expect(await dialog.findByText("1 cliente renovado. Quedan 2 sin renovar.")).toBeVisible();
    expect(dialog.getAllByText("No hay créditos para venta suficientes (saldo: 0).")).toHaveLength(2);
    renewals.stock = 5;
    await user.click(dialog.getByRole("button", { name: "Renovar a los 2 que faltan" }));
    expect(await dialog.findByText("3 clientes renovados")).toBeVisible();
    expect(renewals.stock).toBe(3);
    expect([...renewals.sold.values()].map(({ username }) => username).sort()).toEqual([
      "luis",
      "marta",
      "pablo",
    ]);
  });

  test("skips customers whose expiration changed since the confirmation, and continues with the others", async () => {
    const { user, dialog, ready } = await openDialog("luis", "marta");
    const expected: unknown[] = [];
    server.use(
      http.post("/api/credits/add", async ({ request }) => {
        const body = (await request.clone().json()) as { targetUsername: string; expected: unknown };
        expected.push([body.targetUsername, body.expected]);
        if (body.targetUsername !== "luis") return undefined;
        return problem(409, {
          code: "EXPIRATION_CHANGED",
          message: "El vencimiento ha cambiado.",
          arguments: { expirationDate: "2031-03-05T12:00:00Z" },
        });
      }),
    );
    const endOf = (name: string) =>
      renewals.customers.find(({ username }) => username === name)?.expirationDate;
    await user.click(await ready());
    expect(await dialog.findByText("El vencimiento ha cambiado.")).toBeVisible();
    const again = /^Ahora vence el .*2031.*Para renovar a este cliente, abre otra vez su renovación\.$/;
    expect(dialog.getByText(/abre otra vez su renovación/)).toHaveTextContent(again);
    // The same sale would be refused for ever.
    expect(await dialog.findByText("1 cliente renovado")).toBeVisible();
    expect(dialog.queryByRole("button", { name: /que falta/ })).not.toBeInTheDocument();
    expect([...renewals.sold.values()].map(({ username }) => username)).toEqual(["marta"]);
    expect(expected).toEqual([
      ["luis", { expirationDate: endOf("luis") }],
      ["marta", { expirationDate: endOf("marta") }],
    ]);
  });

  test("stops where the answer is lost, and the retry does not sell twice", async () => {
    const { user, dialog, ready } = await openDialog("luis", "marta");
    server.use(
      http.post(
        "/api/credits/add",
        async ({ request }) => {
          const body = (await request.json()) as { targetUsername: string; amount: number };
          sellOnce(request.headers.get("idempotency-key") ?? "", body.targetUsername, body.amount);
          return HttpResponse.error();
        },
        { once: true },
      ),
    );
    await user.click(await ready());
    expect(await dialog.findByText("Sin respuesta")).toBeVisible();
    expect(dialog.getByText(/lo que ya se vendió no se vende otra vez/)).toBeVisible();
    expect(renewals.sent).toHaveLength(1);
    await user.click(dialog.getByRole("button", { name: "Renovar a los 2 que faltan" }));
    expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
    expect(renewals.sent.map(({ username }) => username)).toEqual(["luis", "luis", "marta"]);
    expect(renewals.sent[0]?.key).toBe(renewals.sent[1]?.key);
    expect(renewals.stock).toBe(18);
  });

  test("what has no answer is looked up before anything else is sold", async () => {
    const { user, dialog, ready } = await openDialog("luis");
    server.use(http.post("/api/credits/add", () => problem(503, {}), { once: true }));
    await user.click(await ready());
    expect(await dialog.findByText("Sin respuesta")).toBeVisible();
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    expect(await screen.findByText("Hay una renovación sin terminar.")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Revisar" }));
    const review = within(await screen.findByRole("dialog", { name: "La renovación se interrumpió" }));
    // It was sent a moment ago: the server may still do it.
    expect(await review.findByText("Sin respuesta")).toBeVisible();
    await user.click(review.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Revisar" }));
    await user.click(await screen.findByRole("button", { name: "Renovar al que falta" }));
    expect(await screen.findByText("1 cliente renovado")).toBeVisible();
    expect(renewals.stock).toBe(19);
  });
});

test("speaks English", async () => {
  await act(() => chooseLanguage("en"));
  renderPage("/renewals");
  expect(await screen.findByRole("heading", { name: "Renewals" })).toBeVisible();
  expect(await screen.findByRole("link", { name: /30 days/ })).toBeVisible();
});
