// The reversal of a movement, and requests for one.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend, problem, sent } from "../../testing/backend";
import { boss, ledger, lucia, sampleMovement, sampleSale, setMovements } from "../../testing/credits";
import { losePage } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const rows = async () => {
  await screen.findByText(/^Mostrando/);
  return within(screen.getByRole("table", { name: "Historial de Créditos" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell"));
};

function be(roleCode: string, permissions = ["CREDIT_HISTORY_READ"]) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setMovements(...sampleSale, sampleMovement(5, { amount: 1, balanceAfter: 2 }));
});

describe("reversing", () => {
  const open = async (name: RegExp, address = "/credits-history") => {
    const page = renderPage(address);
    await page.user.click((await screen.findAllByRole("button", { name }))[0] as HTMLElement);
    return { ...page, dialog: await screen.findByRole("dialog", { name: "Revertir movimiento" }) };
  };
  const consequences = async (dialog: HTMLElement) =>
    (await within(dialog).findAllByRole("listitem")).map((item) => item.textContent);
  const pedrosExpiration =
    "El vencimiento de Pedro Gil vuelve al 1 dic 2026 o, si otra operación lo ha cambiado después, solo se descuentan o devuelven los meses de esta.";

  test("is for admins", async () => {
    be("agent");
    renderPage("/credits-history");
    expect(await rows()).toHaveLength(2);
    expect(screen.queryByRole("button", { name: /^Revertir/ })).not.toBeInTheDocument();
  });

  test("shows the amounts that both sides of a sale get back", async () => {
    const { dialog } = await open(/^Revertir \+3 de Pedro Gil/);
    expect(await consequences(dialog)).toEqual([
      "Pedro Gil (pedro_gil) pierde 3 créditos de App.",
      "Lucía Díaz (lucia_diaz) recupera 3 créditos para venta.",
      pedrosExpiration,
    ]);
    // The safe choice has the focus.
    expect(within(dialog).getByRole("button", { name: "Cancelar" })).toHaveFocus();
  });

  test.each([
    ["the buyer's line", /^Revertir \+3/, "pedro_gil"],
    ["the seller's line", /^Revertir −3/, "lucia_diaz"],
  ])("shows both sides from %s alone", async (_what, name, username) => {
    const { dialog } = await open(name, `/credits-history?username=${username}`);
    expect(await consequences(dialog)).toEqual([
      "Pedro Gil (pedro_gil) pierde 3 créditos de App.",
      "Lucía Díaz (lucia_diaz) recupera 3 créditos para venta.",
      pedrosExpiration,
    ]);
  });

  test("of an imported balance says that months are moved, although no expiration was", async () => {
    setMovements(
      sampleMovement(5, { amount: 12, imported: true, expirationBefore: null, expirationAfter: null }),
    );
    const { dialog } = await open(/^Revertir \+12/);
    expect(await consequences(dialog)).toEqual([
      "Pedro Gil (pedro_gil) pierde 12 créditos de App.",
      "Si Pedro Gil tiene vencimiento, se le descuentan o devuelven los meses de esta operación.",
    ]);
  });

  test("of credits that an admin added concerns one user only", async () => {
    const { dialog } = await open(/^Revertir \+1/);
    expect(await consequences(dialog)).toEqual([
      "Pedro Gil (pedro_gil) pierde 1 crédito de App.",
      pedrosExpiration,
    ]);
  });

  test("of a deduction gives back", async () => {
    setMovements(
      sampleMovement(1, {
        operationType: "DEDUCT_CREDITS_FOR_SALE",
        creditType: "SALE",
        targetUser: lucia,
        performedByUser: boss,
        amount: 2000,
        expirationBefore: null,
        expirationAfter: null,
      }),
    );
    const { dialog } = await open(/^Revertir −2.000/);
    expect(await consequences(dialog)).toEqual([
      "Lucía Díaz (lucia_diaz) recupera 2.000 créditos para venta.",
    ]);
  });

  test("is sent once with its reason, and reloads the list", async () => {
    const { user, dialog } = await open(/^Revertir \+3/);
    await user.type(within(dialog).getByLabelText("Motivo (opcional)"), " Pago rechazado ");
    await user.dblClick(within(dialog).getByRole("button", { name: "Revertir" }));
    expect(await screen.findByText("Se revirtió el movimiento de Pedro Gil")).toBeVisible();
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    expect(sent("POST")).toEqual(["POST /api/auth/refresh", "POST /api/credits/10/reverse"]);
    expect(backend.bodies).toEqual([{ reason: "Pago rechazado" }]);
    expect(await screen.findAllByText("Revertido")).toHaveLength(1);
  });

  test("keeps its key while it is tried again, and says what the server says", async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post("/api/credits/10/reverse", ({ request }) => {
        keys.push(request.headers.get("idempotency-key"));
        return keys.length === 1
          ? HttpResponse.error()
          : problem(409, { code: "CONFLICT", message: "Este movimiento ya se revirtió." });
      }),
    );
    const { user, dialog } = await open(/^Revertir \+3/);
    const button = within(dialog).getByRole("button", { name: "Revertir" });
    await user.click(button);
    expect(
      await within(dialog).findByText("Error de red. Comprueba tu conexión e inténtalo de nuevo."),
    ).toBeVisible();
    await user.click(button);
    expect(await within(dialog).findByText("Este movimiento ya se revirtió.")).toBeVisible();
    expect(within(dialog).getByText("No se pudo revertir")).toBeVisible();
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  test("with another reason has another key: a lost answer is refused as reversed, not as another content", async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post("/api/credits/10/reverse", ({ request }) => {
        keys.push(request.headers.get("idempotency-key"));
        if (keys.length === 1) return HttpResponse.error();
      }),
    );
    const { user, dialog } = await open(/^Revertir \+3/);
    const button = within(dialog).getByRole("button", { name: "Revertir" });
    await user.click(button);
    expect(await within(dialog).findByText("No se pudo revertir")).toBeVisible();
    await user.type(within(dialog).getByLabelText("Motivo (opcional)"), "Pago rechazado");
    await user.click(button);
    expect(await screen.findByText("Se revirtió el movimiento de Pedro Gil")).toBeVisible();
    expect(keys[1]).not.toBe(keys[0]);
  });

  test("asks before a reason is lost", async () => {
    const { user, dialog } = await open(/^Revertir \+3 de Pedro Gil/);
    await user.type(within(dialog).getByLabelText("Motivo (opcional)"), "Pago");
    await user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(within(dialog).getByLabelText("Motivo (opcional)")).toHaveValue("Pago");
  });

  test("keeps a reason that a crash interrupts, until it is done", async () => {
    const first = await open(/^Revertir \+3 de Pedro Gil/);
    await first.user.type(within(first.dialog).getByLabelText("Motivo (opcional)"), "Pago rechazado");
    await waitFor(() => expect(localDraft("ana", "reversal 10")?.values.reason).toBe("Pago rechazado"));
    losePage();
    const { user, dialog } = await open(/^Revertir \+3 de Pedro Gil/);
    await user.click(await within(dialog).findByRole("button", { name: "Recuperar" }));
    expect(within(dialog).getByLabelText("Motivo (opcional)")).toHaveValue("Pago rechazado");
    await user.click(within(dialog).getByRole("button", { name: "Revertir" }));
    await screen.findByText("Se revirtió el movimiento de Pedro Gil");
    expect(localDraft("ana", "reversal 10")).toBeUndefined();
  });

  test("accepts a reason of at most 500 characters", async () => {
    const { user, dialog } = await open(/^Revertir \+3/);
    const reason = within(dialog).getByLabelText("Motivo (opcional)");
    await user.click(reason);
    await user.paste("x".repeat(501));
    expect(within(dialog).getByText("501 de 500 caracteres")).toBeVisible();
    expect(within(dialog).getByRole("button", { name: "Revertir" })).toBeDisabled();
    await user.keyboard("{Backspace}");
    expect(within(dialog).getByRole("button", { name: "Revertir" })).toBeEnabled();
  });
});

describe("mistaken sales", () => {
  const request = (id: number, change = {}) => ({
    id,
    status: "PENDING",
    requestedBy: lucia,
    requestedDate: "2026-11-20T12:00:00Z",
    reason: "Era para otra persona",
    movementId: 10,
    operationId: 6,
    operationDate: "2026-11-20T10:15:00Z",
    targetUser: { username: "pedro_gil", fullName: "Pedro Gil" },
    amount: 3,
    decidedBy: null,
    decidedDate: null,
    note: null,
    ...change,
  });
  const requests = (...content: object[]) =>
    http.get("/api/credits/reversal-requests", () =>
      HttpResponse.json({ content, page: 0, size: 20, totalPages: 1, totalElements: content.length }),
    );

  function beLucia() {
    backend.user = {
      ...lucia,
      roleCode: "agent",
      roleName: "Agente",
      permissions: ["CREDIT_HISTORY_READ", "USER_UPDATE"],
    } as unknown as typeof backend.user;
  }

  test.each([
    ["those that wait, for admins", () => be("admin"), "PENDING"],
    ["all of its own, for an agent", beLucia, null],
  ])("requests have a file: %s; the palette exports the list of the page", async (_, beUser, status) => {
    beUser();
    const columns = ["id", "status", "targetUser"].map((key) => ({ key, heading: key }));
    server.use(
      requests(request(1)),
      http.get("/api/spreadsheets/reversal-requests/columns", () => HttpResponse.json(columns)),
      http.get("/api/spreadsheets/credits/columns", () => HttpResponse.json(columns)),
    );
    const { user, router } = renderPage("/");
    await act(() => router.navigate("/credits-history", { state: { opens: "export" } }));
    const address = async () => {
      const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
      await dialog.findByRole("checkbox", { name: "status" });
      const href = dialog.getByRole("link", { name: "Descargar" }).getAttribute("href");
      await user.click(dialog.getByRole("button", { name: "Cancelar" }));
      return new URL(href ?? "", "http://x");
    };
    expect((await address()).pathname).toBe("/api/spreadsheets/credits");
    await user.click(await screen.findByRole("button", { name: "Exportar las solicitudes…" }));
    const { pathname, searchParams } = await address();
    expect(pathname).toBe("/api/spreadsheets/reversal-requests");
    expect(searchParams.get("status")).toBe(status);
    expect(searchParams.get("columns")).toBe("status,targetUser");
  });

  test("an agent reverses its own sales and no movements of other users", async () => {
    beLucia();
    renderPage("/credits-history");
    await rows();
    const buttons = screen.getAllByRole("button", { name: /^Revertir/ });
    expect(buttons.map((button) => button.getAttribute("aria-label"))).toEqual(["Revertir +3 de Pedro Gil"]);
  });

  const setReversibleUntil = (until: string | null) => {
    const before = ledger.reversibleUntil;
    onTestFinished(() => {
      ledger.reversibleUntil = before;
    });
    ledger.reversibleUntil = until;
  };

  test("an agent sees until when it may", async () => {
    beLucia();
    setReversibleUntil("2099-01-01T11:15:00Z");
    const { user } = renderPage("/credits-history");
    await user.click(
      await screen.findByRole("button", { name: /^Revertir \+3 de Pedro Gil, hasta las \d+:15$/ }),
    );
    expect(await screen.findByText(/^Puedes revertirla tú hasta las \d+:15\./)).toBeVisible();
  });

  test("an agent may reverse a sale that is too late only by the clock of the browser", async () => {
    beLucia();
    const { user } = renderPage("/credits-history");
    await user.click(await screen.findByRole("button", { name: "Revertir +3 de Pedro Gil" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/^Puedes revertirla tú durante los 60 minutos/)).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Revertir" }));
    expect(await screen.findByText("Se revirtió el movimiento de Pedro Gil")).toBeVisible();
  });

  test("of a sale to whom another agent has by now, nothing can be reversed or requested", async () => {
    beLucia();
    setReversibleUntil(null);
    renderPage("/credits-history");
    await rows();
    expect(screen.queryByRole("button", { name: /^Revertir/ })).not.toBeInTheDocument();
  });

  test.each(["REVERSAL_TOO_LATE", "MOVED_SINCE"])(
    "what is refused with %s can be requested",
    async (code) => {
      beLucia();
      const requested: unknown[] = [];
      server.use(
        requests(),
        http.post("/api/credits/:id/reverse", () => problem(409, { code, message: "Ya no se puede." })),
        http.post("/api/credits/:id/reversal-requests", async ({ request: sent }) => {
          requested.push(await sent.json());
          expect(sent.headers.get("idempotency-key")).toBeTruthy();
          return HttpResponse.json(request(1), { status: 201 });
        }),
      );
      const { user } = renderPage("/credits-history");
      await user.click(await screen.findByRole("button", { name: "Revertir +3 de Pedro Gil" }));
      const dialog = within(await screen.findByRole("dialog", { name: "Revertir movimiento" }));
      await user.type(dialog.getByLabelText("Motivo (opcional)"), "Me equivoqué");
      await user.click(dialog.getByRole("button", { name: "Revertir" }));
      await dialog.findByText(/Ya no se puede\. Puedes pedírsela\./);
      await user.click(dialog.getByRole("button", { name: "Pedir la reversión" }));
      await screen.findByText("Se pidió la reversión a los administradores");
      expect(requested).toEqual([{ reason: "Me equivoqué" }]);
    },
  );

  test("another refusal has no request", async () => {
    beLucia();
    server.use(
      http.post("/api/credits/:id/reverse", () =>
        problem(409, { code: "CONFLICT", message: "Este movimiento ya se revirtió." }),
      ),
    );
    const { user } = renderPage("/credits-history");
    await user.click(await screen.findByRole("button", { name: "Revertir +3 de Pedro Gil" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Revertir" }));
    await dialog.findByText("Este movimiento ya se revirtió.");
    expect(dialog.queryByRole("button", { name: "Pedir la reversión" })).toBeNull();
  });

  test("an admin decides with one click, with a note", async () => {
    const decided: [string, unknown][] = [];
    server.use(
      requests(request(1), request(2, { targetUser: lucia, reason: null })),
      http.post("/api/credits/reversal-requests/:id/:verdict", async ({ params, request: sent }) => {
        decided.push([`${params.id} ${params.verdict}`, await sent.json()]);
        expect(sent.headers.has("idempotency-key")).toBe(params.verdict === "approve");
        return HttpResponse.json(params.verdict === "approve" ? sampleMovement(99) : request(2));
      }),
    );
    const { user } = renderPage("/credits-history");
    await screen.findByText("Solicitudes de reversión pendientes: 2");
    expect(screen.getByText("«Era para otra persona»")).toBeVisible();
    await user.type(screen.getByRole("textbox", { name: "Nota sobre la solicitud de Pedro Gil" }), "Hablado");
    await user.click(screen.getByRole("button", { name: "Aprobar la reversión de Pedro Gil" }));
    await screen.findByText("Se revirtió el movimiento de Pedro Gil");
    await user.click(screen.getByRole("button", { name: "Rechazar la reversión de Lucía Díaz" }));
    await screen.findByText("Se rechazó la reversión de Lucía Díaz");
    expect(decided).toEqual([
      ["1 approve", { reason: "Hablado" }],
      ["2 decline", {}],
    ]);
  });

  test("a note on a request is not lost by leaving the page, and stays while the list is filtered", async () => {
    server.use(requests(request(1)));
    const { user, router, address } = renderPage("/credits-history");
    const note = await screen.findByRole("textbox", { name: "Nota sobre la solicitud de Pedro Gil" });
    await user.type(note, "Hablado");
    await act(() => router.navigate("/credits-history?search=pedro"));
    expect(address()).toBe("/credits-history?search=pedro");
    expect(note).toHaveValue("Hablado");
    await act(() => router.navigate("/settings/sessions"));
    const question = within(await screen.findByRole("dialog", { name: "¿Salir sin guardar?" }));
    await user.click(question.getByRole("button", { name: "Seguir editando" }));
    expect(address()).toBe("/credits-history?search=pedro");
    expect(note).toHaveValue("Hablado");
  });

  test("a note on a request survives a crash, and is gone once that is decided", async () => {
    server.use(
      requests(request(1)),
      http.post("/api/credits/reversal-requests/1/approve", () => HttpResponse.json(sampleMovement(99))),
    );
    const open = async () => {
      const { user } = renderPage("/credits-history");
      return { user, note: await screen.findByRole("textbox", { name: /^Nota sobre la solicitud/ }) };
    };
    const first = await open();
    await first.user.type(first.note, "Hablado");
    await waitFor(() => expect(localDraft("ana", "reversal-request 1")?.values.note).toBe("Hablado"));
    losePage();
    const { user, note } = await open();
    await user.click(await screen.findByRole("button", { name: "Recuperar" }));
    expect(note).toHaveValue("Hablado");
    await user.click(screen.getByRole("button", { name: /^Aprobar/ }));
    await screen.findByText("Se revirtió el movimiento de Pedro Gil");
    expect(localDraft("ana", "reversal-request 1")).toBeUndefined();
  });

  test("requests that could not be read are not hidden", async () => {
    server.use(http.get("/api/credits/reversal-requests", () => problem(500, {})));
    const { user } = renderPage("/credits-history");
    await screen.findByText("Error al cargar los datos", undefined, { timeout: 5000 });
    server.use(requests(request(1)));
    await user.click(screen.getAllByRole("button", { name: "Reintentar" })[0] as HTMLElement);
    expect(await screen.findByText(/^Solicitudes de reversión pendientes/)).toBeVisible();
  });

  test("more requests are shown up to the largest page, and no more are loaded", async () => {
    const sizes: number[] = [];
    server.use(
      http.get("/api/credits/reversal-requests", ({ request: read }) => {
        sizes.push(Number(new URL(read.url).searchParams.get("_size")));
        return HttpResponse.json({
          content: [request(1)],
          page: 0,
          size: 20,
          totalPages: 250,
          totalElements: 5000,
        });
      }),
    );
    renderPage("/credits-history");
    const more = () => screen.queryByRole("button", { name: "Ver más", hidden: true });
    await screen.findByText(/^Solicitudes de reversión pendientes/);
    for (let press = 0; press < 60 && more(); press++) fireEvent.click(more() as HTMLElement);
    await waitFor(() => expect(sizes).toContain(1000));
    expect(more()).toBeNull();
    expect(Math.max(...sizes)).toBe(1000);
  });

  test("what cannot be approved says why, and stays", async () => {
    server.use(
      requests(request(1)),
      http.post("/api/credits/reversal-requests/:id/approve", () =>
        problem(409, { code: "INSUFFICIENT_CREDITS", message: "No hay créditos suficientes (saldo: 1)." }),
      ),
    );
    const { user } = renderPage("/credits-history");
    await user.click(await screen.findByRole("button", { name: "Aprobar la reversión de Pedro Gil" }));
    await screen.findByText("No hay créditos suficientes (saldo: 1).");
    expect(screen.getByRole("button", { name: "Aprobar la reversión de Pedro Gil" })).toBeVisible();
  });

  test("an agent sees what became of its requests", async () => {
    beLucia();
    server.use(
      requests(
        request(2),
        request(1, {
          status: "DECLINED",
          decidedBy: boss,
          decidedDate: "2026-11-21T09:00:00Z",
          note: "La venta es correcta",
        }),
      ),
    );
    renderPage("/credits-history");
    await screen.findByText("Solicitudes de reversión pendientes: 1");
    expect(screen.getByText("Rechazada")).toBeVisible();
    expect(screen.getByText("«La venta es correcta»")).toBeVisible();
    expect(screen.queryByRole("button", { name: /^Aprobar/ })).toBeNull();
  });
});
