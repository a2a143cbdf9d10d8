// The credit dialog: its operations, its preview, and that no user is charged twice.
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { delay, HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { reloadKeepingDrafts } from "../../loading/reload";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { quoteOf, sampleUser, users } from "../../testing/users";
import type { CreditDraft } from "./credits";

beforeEach(() => {
  backend.user = { username: "jefa", roleCode: "admin", roleName: "", permissions: [] };
  users.sent = [];
  users.all = [
    sampleUser("luis", { credits: 2, expirationDate: "2026-12-20T10:00:00Z" }),
    sampleUser("norte", { roleCode: "agent", saleCredits: 40 }),
    sampleUser("raiz", { roleCode: "superadmin" }),
  ];
});

async function openDialog(username = "luis") {
  const page = renderPage(`/users?openCredits=${username}`);
  const dialog = within(await screen.findByRole("dialog", { name: "Gestión de Créditos" }));
  const amount = await dialog.findByLabelText(/Cantidad/);
  const send = () => dialog.getByRole("button", { name: /^(Añadir|Deducir)/ });
  /** The button, once the outcome of what is typed is on the screen. */
  const ready = async () => {
    await waitFor(() => expect(send()).toHaveAttribute("aria-disabled", "false"));
    return send();
  };
  return { ...page, dialog, amount, send, ready };
}

const posts = () => users.sent.filter(({ path }) => path.startsWith("POST /api/credits/"));

describe("available operations", () => {
  test("of app users: adding app credits, and no deduction", async () => {
    const { dialog } = await openDialog();
    const operations = within(dialog.getByLabelText(/Operación/)).getAllByRole("option");
    expect(operations.map((option) => option.textContent)).toEqual(["Añadir Créditos de App"]);
    expect(dialog.getByText("Créditos de App").parentElement).toHaveTextContent("2");
    expect(dialog.getByText("20 dic 2026")).toBeVisible();
  });

  test("agents get stock, and give it back; the first is the default", async () => {
    const { dialog } = await openDialog("norte");
    const field = dialog.getByLabelText(/Operación/);
    const operations = within(field).getAllByRole("option");
    expect(operations.map((option) => option.textContent)).toEqual([
      "Agregar Créditos para Venta",
      "Deducir Créditos para Venta",
    ]);
    expect(field).toHaveDisplayValue("Agregar Créditos para Venta");
    expect(dialog.getByText("Créditos para Venta").parentElement).toHaveTextContent("40");
    expect(dialog.queryByText("Vencimiento")).not.toBeInTheDocument();
  });

  test("the button says what it will do", async () => {
    const { user, dialog, amount } = await openDialog("norte");
    await user.selectOptions(dialog.getByLabelText(/Operación/), "Deducir Créditos para Venta");
    await user.type(amount, "1");
    expect(dialog.getByRole("button", { name: "Deducir 1 crédito" })).toBeVisible();
  });

  test("nothing, for whom the caller does not manage or who is not there", async () => {
    renderPage("/users?openCredits=raiz");
    expect(await screen.findByText("No puedes gestionar los créditos de este usuario.")).toBeVisible();
    document.body.replaceChildren();
    renderPage("/users?openCredits=nadie");
    expect(await screen.findByText("Usuario no encontrado")).toBeVisible();
  });
});

describe("the preview", () => {
  const before = () => vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });

  test("is the server's, requested once the typing rests", async () => {
    before();
    const { user, dialog, amount } = await openDialog();
    expect(dialog.getByText("Escribe una cantidad para ver el resultado.")).toBeVisible();
    await user.type(amount, "12");
    await act(() => vi.advanceTimersByTimeAsync(350));
    const preview = within(dialog.getByRole("region", { name: "Vista previa" }));
    expect(await preview.findByText("14")).toBeVisible();
    expect(preview.getByText("20 feb 2027")).toBeVisible();
    expect(backend.requests.filter((one) => one === "POST /api/credits/quote")).toHaveLength(1);
  });

  test("shows the payer's stock and the warnings", async () => {
    server.use(
      http.post("/api/credits/quote", async ({ request }) => {
        const requested = (await request.json()) as CreditDraft;
        return HttpResponse.json({
          ...quoteOf(requested, sampleUser("luis")),
          payer: { username: "jefa", balanceBefore: 14, balanceAfter: 11 },
          warnings: [{ code: "LOW_STOCK", message: "Te quedarán menos de 12 créditos para venta." }],
        });
      }),
    );
    const { user, dialog, amount } = await openDialog();
    await user.type(amount, "3");
    expect((await dialog.findByText("Tus créditos para venta")).parentElement).toHaveTextContent("14");
    expect(dialog.getByText("Te quedarán menos de 12 créditos para venta.")).toBeVisible();
  });

  test("says beforehand what would be refused", async () => {
    server.use(
      http.post("/api/credits/quote", () => problem(409, { message: "No hay créditos suficientes." })),
    );
    const { user, dialog, amount } = await openDialog();
    await user.type(amount, "3");
    expect(await dialog.findByText("No hay créditos suficientes.")).toBeVisible();
  });

  test("is not requested what is no amount", async () => {
    const { user, dialog, amount, send } = await openDialog();
    for (const text of ["0", "-3", "1201"]) {
      await user.clear(amount);
      await user.type(amount, text);
      await user.click(send());
      expect(
        await dialog.findByText(/Por favor, introduce una cantidad válida|La cantidad no puede superar 1200/),
      ).toBeVisible();
    }
    await user.clear(amount);
    expect(await dialog.findByText("Por favor, introduce una cantidad válida")).toBeVisible();
    expect(posts()).toEqual([]);
    expect(backend.requests).not.toContain("POST /api/credits/quote");
  });
});

test("the reason is counted while it is written, up to 500", async () => {
  const { user, dialog, amount, send } = await openDialog();
  const reason = dialog.getByLabelText(/Motivo/);
  await user.type(reason, "Pago");
  expect(dialog.getByText("4 de 500 caracteres")).toBeVisible();
  await user.type(amount, "1");
  fireEvent.change(reason, { target: { value: "x".repeat(501) } });
  await user.click(send());
  expect(await dialog.findByText("El motivo no puede superar los 500 caracteres")).toBeVisible();
  expect(posts()).toEqual([]);
});

describe("before it is sent", () => {
  test("the first focus is on the amount", async () => {
    const { amount } = await openDialog();
    await waitFor(() => expect(amount).toHaveFocus());
  });

  test("neither Enter nor the button sends what has no preview yet", async () => {
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    server.use(http.post("/api/credits/quote", () => held.then(() => undefined)));
    const { user, amount, send, ready } = await openDialog();
    await user.type(amount, "12{Enter}");
    await user.click(send());
    expect(send()).toHaveAttribute("aria-disabled", "true");
    answer();
    await ready();
    expect(posts()).toEqual([]);
    // Another amount is another question.
    await user.type(amount, "0{Enter}");
    expect(posts()).toEqual([]);
    await ready();
    await user.type(amount, "{Enter}");
    await waitFor(() => expect(posts()).toHaveLength(1));
    expect(posts()[0]?.body.amount).toBe(120);
  });

  test("a subscription that stays expired must be confirmed, and is shown again afterwards", async () => {
    const warning = "La suscripción seguirá vencida.";
    users.all = [sampleUser("luis", { credits: 0, expirationDate: "2020-01-20T10:00:00Z" })];
    server.use(
      http.post("/api/credits/quote", async ({ request }) =>
        HttpResponse.json({
          ...quoteOf((await request.json()) as CreditDraft, sampleUser("luis")),
          warnings: [{ code: "STILL_EXPIRED", message: warning }],
        }),
      ),
    );
    const { user, dialog, amount, send, ready } = await openDialog();
    expect(dialog.getByText(/^Con \d+ créditos llega a hoy\.$/)).toBeVisible();
    await user.type(amount, "1");
    const box = await dialog.findByRole("checkbox", { name: "Entiendo que la suscripción seguirá vencida" });
    await user.type(amount, "{Enter}");
    await user.click(send());
    expect(posts()).toEqual([]);
    expect(box).toHaveFocus();
    await user.click(box);
    await user.click(await ready());
    expect(await screen.findByText("Se añadió 1 crédito a «Persona luis»")).toBeVisible();
    expect(await screen.findAllByText(warning)).not.toHaveLength(0);
    expect(posts()).toHaveLength(1);
  });
});

describe("an end that moved since the preview", () => {
  test.each(["before the press", "before the preview was read anew"])(
    "is said %s, and nothing is sold until it is confirmed once more",
    async (when) => {
      const { user, dialog, amount, ready } = await openDialog();
      await user.type(amount, "1");
      await ready();
      // Another tab renews the same customer.
      users.all[0] = sampleUser("luis", { credits: 3, expirationDate: "2027-01-20T10:00:00Z" });
      if (when !== "before the press") {
        await user.type(amount, "2");
        await ready();
      }
      await user.click(await ready());
      expect(await dialog.findByText("El vencimiento de «Persona luis» cambió mientras tanto")).toBeVisible();
      const preview = within(dialog.getByRole("region", { name: "Vista previa" }));
      expect(await preview.findByText("20 ene 2027")).toBeVisible();
      expect(posts()).toEqual([]);
      await user.click(await ready());
      await waitFor(() => expect(posts()).toHaveLength(1));
    },
  );

  test("is refused by the server where it moved at the last moment, and confirmed once more", async () => {
    server.use(
      http.post(
        "/api/credits/add",
        () => {
          // Another tab renews the same customer after the preview was read anew.
          users.all[0] = sampleUser("luis", { credits: 3, expirationDate: "2027-01-20T10:00:00Z" });
          return problem(409, { code: "EXPIRATION_CHANGED", message: "El vencimiento ha cambiado." });
        },
        { once: true },
      ),
    );
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "1");
    await user.click(await ready());
    expect(await dialog.findByText("El vencimiento de «Persona luis» cambió mientras tanto")).toBeVisible();
    const preview = within(dialog.getByRole("region", { name: "Vista previa" }));
    expect(await preview.findByText("20 ene 2027")).toBeVisible();
    expect(posts()).toEqual([]);
    await user.click(await ready());
    await waitFor(() => expect(posts()).toHaveLength(1));
    expect(posts()[0]?.body.expected).toEqual({ expirationDate: "2027-01-20T10:00:00Z" });
  });

  test("is not sold where the preview cannot be read anew", async () => {
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "1");
    await ready();
    server.use(
      http.post("/api/credits/quote", () => problem(409, { message: "No hay créditos suficientes." })),
    );
    await user.click(await ready());
    expect(await dialog.findByText("No se pudo completar la operación")).toBeVisible();
    expect(posts()).toEqual([]);
  });
});

describe("sending", () => {
  test("once, however often it is requested; the dialog goes after 300 ms, and the address with it", async () => {
    server.use(
      http.post("/api/credits/add", async () => {
        await delay(50);
      }),
    );
    const { user, dialog, amount, send, ready, address } = await openDialog();
    await user.type(amount, "3");
    await ready();
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
    fireEvent.click(send());
    fireEvent.click(send());
    fireEvent.submit(dialog.getByLabelText(/Cantidad/));
    expect(await screen.findByText("Se añadieron 3 créditos a «Persona luis»")).toBeVisible();
    expect(address()).toBe("/users?openCredits=luis");
    await act(() => vi.advanceTimersByTimeAsync(300));
    await waitFor(() => expect(address()).toBe("/users"));
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    expect(posts()).toHaveLength(1);
    expect(posts()[0]?.body).toEqual({
      targetUsername: "luis",
      amount: 3,
      reason: null,
      expected: { expirationDate: "2026-12-20T10:00:00Z" },
    });
    // The list behind it is updated.
    expect((await screen.findByText("Persona luis")).closest("tr")).toHaveTextContent("5");
  });

  test("again after a lost answer goes under the same key; something else under another", async () => {
    let times = 0;
    server.use(
      http.post("/api/credits/add", async ({ request }) => {
        times += 1;
        users.sent.push({
          path: "POST /api/credits/add",
          key: request.headers.get("idempotency-key"),
          version: null,
          body: {},
        });
        if (times < 4) return HttpResponse.error();
      }),
    );
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "3");
    await user.click(await ready());
    expect(await dialog.findByText("No se pudo completar la operación")).toBeVisible();
    expect(amount).toHaveValue("3");
    await user.click(await ready());
    await waitFor(() => expect(times).toBe(2));
    await ready();
    await user.type(amount, "0");
    await user.click(await ready());
    await waitFor(() => expect(times).toBe(3));
    const [first, second, third] = posts().map(({ key }) => key);
    expect(first).toBeTruthy();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test("a change whose response was lost is shown before another request, also in another dialog", async () => {
    let times = 0;
    const done: string[] = [];
    server.use(
      http.post("/api/credits/add", ({ request }) => {
        times += 1;
        if (times > 1) return undefined;
        done.push(request.headers.get("idempotency-key") ?? "");
        return HttpResponse.error();
      }),
      http.post("/api/renewals/sales", async ({ request }) => {
        const { keys } = (await request.json()) as { keys: string[] };
        return HttpResponse.json(keys.filter((key) => done.includes(key)).map((key) => ({ key })));
      }),
    );
    const first = await openDialog();
    await first.user.type(first.amount, "1");
    await first.user.click(await first.ready());
    expect(await first.dialog.findByText("No se pudo completar la operación")).toBeVisible();
    cleanup();
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "1");
    await user.type(dialog.getByLabelText(/Motivo/), "renueva");
    await user.click(await ready());
    expect(await dialog.findByText("Se añadió 1 crédito a «Persona luis»")).toBeVisible();
    expect(dialog.getByText(/Lo de ahora todavía no se ha enviado/)).toBeVisible();
    expect(times).toBe(1);
    await user.click(await ready());
    await waitFor(() => expect(posts()).toHaveLength(1));
    expect(posts()[0]?.body).toMatchObject({ targetUsername: "luis", amount: 1, reason: "renueva" });
  });

  test("the same again from another dialog is looked up first, and is one more once that was said", async () => {
    const keys: string[] = [];
    server.use(
      http.post("/api/credits/add", ({ request }) => {
        keys.push(request.headers.get("idempotency-key") ?? "");
        return keys.length === 1 ? HttpResponse.error() : undefined;
      }),
      http.post("/api/renewals/sales", () => HttpResponse.json([{ key: keys[0] }])),
    );
    const first = await openDialog();
    await first.user.type(first.amount, "1");
    await first.user.click(await first.ready());
    expect(await first.dialog.findByText("No se pudo completar la operación")).toBeVisible();
    cleanup();
    // A user who saw the sale in the list sells the next month.
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "1");
    await user.click(await ready());
    expect(await dialog.findByText(/Lo de ahora todavía no se ha enviado/)).toBeVisible();
    expect(keys).toHaveLength(1);
    await user.click(await ready());
    await waitFor(() => expect(keys).toHaveLength(2));
    expect(keys[1]).not.toBe(keys[0]);
  });

  test("a reload by the panel restores the form, with the idempotency key of its request", async () => {
    server.use(
      http.post("/api/credits/add", async ({ request }) => {
        users.sent.push({
          path: "POST /api/credits/add",
          key: request.headers.get("idempotency-key"),
          version: null,
          body: {},
        });
        return HttpResponse.error();
      }),
    );
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "3");
    const leaving = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented).toBe(true);
    await user.click(await ready());
    expect(await dialog.findByText("No se pudo completar la operación")).toBeVisible();

    vi.spyOn(console, "error").mockImplementation(() => {}); // jsdom cannot reload.
    reloadKeepingDrafts();
    cleanup();
    const again = await openDialog();
    expect(
      await again.dialog.findByText("Recuperamos lo que estabas escribiendo. Todavía no se ha enviado."),
    ).toBeVisible();
    expect(again.amount).toHaveValue("3");
    await again.user.click(await again.ready());
    await waitFor(() => expect(posts()).toHaveLength(2));
    expect(posts()[1]?.key).toBe(posts()[0]?.key);
  });

  test("a refusal shows the reason in the dialog, and keeps the form", async () => {
    server.use(
      http.post("/api/credits/add", () =>
        problem(409, {
          code: "INSUFFICIENT_SALE_CREDITS",
          message: "No hay créditos para venta suficientes (saldo: 2).",
        }),
      ),
    );
    const { user, dialog, amount, ready } = await openDialog();
    await user.type(amount, "3");
    await user.click(await ready());
    expect(await dialog.findByText("No hay créditos para venta suficientes (saldo: 2).")).toBeVisible();
    expect(amount).toHaveValue("3");
  });

  test("each operation has its path", async () => {
    const { user, dialog, amount, ready } = await openDialog("norte");
    await user.selectOptions(dialog.getByLabelText(/Operación/), "Deducir Créditos para Venta");
    await user.type(amount, "4");
    await user.click(await ready());
    await waitFor(() => expect(posts()).toMatchObject([{ path: "POST /api/credits/deduct-for-sale" }]));
  });
});

test("closing takes it out of the address, and requests before anything typed is lost", async () => {
  const { user, amount, address } = await openDialog();
  await user.type(amount, "3");
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
  expect(address()).toBe("/users?openCredits=luis");
  await user.keyboard("{Escape}");
  await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(address()).toBe("/users"));
});

test("opened from a row, going back closes it", async () => {
  const { user, router, address } = renderPage("/users");
  await user.click(await screen.findByRole("button", { name: "Gestionar los créditos de «Persona luis»" }));
  await screen.findByRole("dialog");
  expect(address()).toBe("/users?openCredits=luis");
  await act(() => router.navigate(-1));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(address()).toBe("/users");
});

test("going back needs a confirmation before the form is discarded", async () => {
  const { user, router, address } = renderPage("/users");
  await user.click(await screen.findByRole("button", { name: "Gestionar los créditos de «Persona luis»" }));
  const amount = await screen.findByLabelText(/Cantidad/);
  await user.type(amount, "3");
  await act(() => router.navigate(-1));
  await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
  expect(amount).toHaveValue("3");
  expect(address()).toBe("/users?openCredits=luis");
});
