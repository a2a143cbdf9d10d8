// Webhooks: the list, the form, the secret that is shown once, tests, and the log.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { EventType } from "../../api/enums/EventType.gen";
import { backend, problem } from "../../testing/backend";
import { expectLeavingConfirms } from "../../testing/leaving";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleDelivery, sampleWebhook, setDeliveries, setWebhooks } from "../../testing/webhooks";

function be(roleCode: string) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions: ["APP_SETTINGS_UPDATE"] };
}

const rows = async (name: string) => {
  await screen.findByText(/^Mostrando/);
  return within(screen.getByRole("table", { name }))
    .getAllByRole("row")
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole("cell")
        .map((cell) => cell.textContent),
    );
};

const uncopied = { title: "¿Cerrar sin copiar el secreto?", stay: "Volver al secreto" };

type User = ReturnType<typeof renderPage>["user"];

async function rotate(user: User) {
  await user.click(await screen.findByRole("button", { name: /más.*Facturación/i }));
  await user.click(await screen.findByRole("menuitem", { name: "Cambiar el secreto" }));
  const question = await screen.findByRole("dialog", { name: "Cambiar el secreto" });
  await user.click(within(question).getByRole("button", { name: "Cambiar" }));
}

beforeEach(() => {
  be("admin");
  setWebhooks(sampleWebhook(1));
  setDeliveries();
});

describe("the list", () => {
  test("says where each leads, what it requests, and how its last delivery went", async () => {
    const every = (Object.keys(EventType) as (keyof typeof EventType)[]).filter((type) => type !== "TEST");
    setWebhooks(
      sampleWebhook(1),
      sampleWebhook(2, {
        name: "Soporte",
        active: false,
        pending: 1234,
        events: every,
        lastDelivery: {
          status: "PENDING",
          eventType: "ITEM_CREATED",
          statusCode: 500,
          fault: "REFUSED",
          at: "2026-11-20T10:15:00Z",
        },
      }),
    );
    renderPage("/settings/webhooks");
    expect((await rows("Webhooks")).map((cells) => cells.slice(0, 5))).toEqual([
      [
        "Facturaciónhttps://example.com/avisos",
        "Movimiento de créditos, Contenido creado",
        "Activo",
        "Ninguna todavía",
        "—Sin valor",
      ],
      [
        "Soportehttps://example.com/avisos",
        "Todos los eventos",
        "Inactivo",
        "Reintentando 20 nov 2026 10:15",
        "1.234",
      ],
    ]);
  });

  test("leads to forms and logs", async () => {
    const { user, address } = renderPage("/settings/webhooks");
    await user.click(await screen.findByRole("link", { name: "Facturación" }));
    expect(address()).toBe("/settings/webhooks/1");
    await user.click(await screen.findByRole("link", { name: "Volver a Webhooks" }));
    await user.click(await screen.findByRole("link", { name: "Crear webhook" }));
    expect(address()).toBe("/settings/webhooks/create");
  });

  test("deletes after asking, and says what goes with it", async () => {
    const { user } = renderPage("/settings/webhooks");
    await user.click(await screen.findByRole("button", { name: /más.*Facturación/i }));
    await user.click(await screen.findByRole("menuitem", { name: "Eliminar Facturación" }));
    const dialog = await screen.findByRole("dialog", { name: "Eliminar webhook" });
    expect(dialog).toHaveTextContent("«Facturación» con su registro");
    await user.click(within(dialog).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText("Se eliminó «Facturación»")).toBeVisible();
    expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
  });

  test("that fails has a retry button", async () => {
    server.use(http.get("/api/webhooks", () => problem(422, { message: "No puede ser" })));
    renderPage("/settings/webhooks");
    expect(await screen.findByText("No puede ser")).toBeVisible();
    expect(screen.getByRole("button", { name: "Reintentar" })).toBeVisible();
  });

  test.each(["agent", "contentManager"])("is not for the role %s", async (role) => {
    be(role);
    const { address } = renderPage("/settings/webhooks");
    await waitFor(() => expect(address()).toBe("/"));
    expect(backend.requests.some((request) => request.includes("/api/webhooks"))).toBe(false);
  });
});

describe("the form", () => {
  test("sends what was requested, shows the secret once and leads to the log", async () => {
    const { user, address } = renderPage("/settings/webhooks/create");
    await user.type(await screen.findByRole("textbox", { name: /Nombre/ }), "Avisos");
    await pasteInto(user, screen.getByRole("textbox", { name: /Dirección/ }), "https://example.com/hook");
    expect(screen.queryByRole("checkbox", { name: "Prueba" })).not.toBeInTheDocument();
    await user.click(screen.getByRole("checkbox", { name: "Contenido eliminado" }));
    await user.click(screen.getByRole("checkbox", { name: "Error de reproducción reportado" }));
    await user.click(screen.getByRole("button", { name: "Crear webhook" }));
    const dialog = await screen.findByRole("dialog", { name: "Secreto del webhook" });
    expect(within(dialog).getByRole("textbox", { name: "Secreto" })).toHaveValue("whsec_UnSecreto");
    expect(backend.bodies).toEqual([
      {
        name: "Avisos",
        url: "https://example.com/hook",
        // In the order of the list, not in that of the clicks.
        events: ["ISSUE_OPENED", "ITEM_REMOVED"],
        active: true,
      },
    ]);
    await user.click(within(dialog).getByRole("button", { name: "Copiar" }));
    expect(await within(dialog).findByRole("button", { name: "Copiado" })).toBeVisible();
    expect(await navigator.clipboard.readText()).toBe("whsec_UnSecreto");
    await user.click(within(dialog).getByRole("button", { name: "Ya lo tengo" }));
    await waitFor(() => expect(address()).toBe("/settings/webhooks/2"));
    expect(screen.queryByText("whsec_UnSecreto")).not.toBeInTheDocument();
  });

  test("asks once before its secret is closed uncopied, and leads to the log then", async () => {
    const { user, address } = renderPage("/settings/webhooks/create");
    await user.type(await screen.findByRole("textbox", { name: /Nombre/ }), "Avisos");
    await pasteInto(user, screen.getByRole("textbox", { name: /Dirección/ }), "https://example.com/hook");
    await user.click(screen.getByRole("checkbox", { name: "Contenido eliminado" }));
    await user.click(screen.getByRole("button", { name: "Crear webhook" }));
    const dialog = await screen.findByRole("dialog", { name: "Secreto del webhook" });
    await user.click(within(dialog).getByRole("button", { name: "Ya lo tengo" }));
    await user.click(await screen.findByRole("button", { name: "Cerrar sin copiar" }));
    await waitFor(() => expect(address()).toBe("/settings/webhooks/2"));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("says what is missing before anything is sent", async () => {
    const { user } = renderPage("/settings/webhooks/create");
    await user.type(await screen.findByRole("textbox", { name: /Dirección/ }), "ftp://example.com");
    await user.click(screen.getByRole("button", { name: "Crear webhook" }));
    expect(await screen.findByText("Este campo es obligatorio")).toBeVisible();
    expect(screen.getByText("Elige al menos un evento")).toBeVisible();
    expect(screen.getByText(/debe empezar por/)).toBeVisible();
    expect(backend.bodies).toEqual([]);
  });

  test("saves changes over the version that was read", async () => {
    let sent: unknown;
    server.use(
      http.put("/api/webhooks/1", async ({ request }) => {
        sent = [request.headers.get("if-match"), await request.json()];
        return HttpResponse.json(sampleWebhook(1, { version: 8, name: "Cobros" }));
      }),
    );
    setWebhooks(sampleWebhook(1, { version: 7 }));
    const { user, address } = renderPage("/settings/webhooks/1/edit");
    const name = await screen.findByRole("textbox", { name: /Nombre/ });
    await user.clear(name);
    await user.type(name, "Cobros");
    await user.click(screen.getByRole("switch", { name: /Activo/ }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(address()).toBe("/settings/webhooks/1"));
    expect(sent).toMatchObject(['"7"', { name: "Cobros", active: false }]);
  });

  test("of a webhook that is gone says so", async () => {
    renderPage("/settings/webhooks/9/edit");
    expect(await screen.findByText("No se encontró el webhook")).toBeVisible();
    expect(screen.getByRole("link", { name: "Volver a Webhooks" })).toBeVisible();
  });
});

describe("the log", () => {
  test("says what became of each delivery", async () => {
    setDeliveries(
      sampleDelivery(3, { status: "PENDING", attempts: 0, statusCode: null, durationMs: null }),
      sampleDelivery(2, {
        status: "FAILED",
        attempts: 10,
        fault: "FORBIDDEN_ADDRESS",
        statusCode: null,
        durationMs: 2,
      }),
      sampleDelivery(1),
    );
    renderPage("/settings/webhooks/1");
    const found = (await rows("Facturación")).map((cells) => cells.slice(0, 6));
    const identity = "Contenido creadomovies/42";
    const forbidden = "La dirección pertenece a una red privada que no está permitida";
    expect(found).toEqual([
      [identity, "20 nov 2026 10:15", "Pendiente", "—Sin valor", "0", "Enseguida"],
      [identity, "20 nov 2026 10:15", "Fallida", forbidden, "10", "—Sin valor"],
      [identity, "20 nov 2026 10:15", "Entregada", "HTTP 204 · 1.250 ms", "1", "—Sin valor"],
    ]);
  });

  test("shows what was sent, and sends it again", async () => {
    setDeliveries(sampleDelivery(1));
    const { user } = renderPage("/settings/webhooks/1");
    await user.click(await screen.findByRole("button", { name: /^Ver el mensaje/ }));
    const dialog = await screen.findByRole("dialog", { name: "Contenido creado" });
    expect(dialog).toHaveTextContent('"type": "ITEM_CREATED"');
    expect(dialog).toHaveTextContent('"resource": "movies"');
    await user.click(within(dialog).getByRole("button", { name: "Cerrar" }));
    await user.click(await screen.findByRole("button", { name: /^Reenviar/ }));
    expect(await screen.findByText("Se enviará enseguida")).toBeVisible();
    expect(backend.requests).toContain("POST /api/webhooks/1/deliveries/1/resend");
    expect(await screen.findByRole("button", { name: /^Intentar ahora/ })).toBeVisible();
  });

  test("a test says what came of it", async () => {
    const { user } = renderPage("/settings/webhooks/1");
    await user.click(await screen.findByRole("button", { name: "Enviar prueba" }));
    expect(await screen.findByText("«Facturación» recibió la prueba")).toBeVisible();
    // In the toast, and in the log.
    expect((await screen.findAllByText("HTTP 204 · 1.250 ms")).length).toBeGreaterThan(0);
  });

  test("a test that fails says why", async () => {
    const failed = sampleDelivery(99, { status: "FAILED", fault: "TIMED_OUT", statusCode: null });
    server.use(http.get("/api/webhooks/1/deliveries/99", () => HttpResponse.json(failed)));
    const { user } = renderPage("/settings/webhooks/1");
    await user.click(await screen.findByRole("button", { name: "Enviar prueba" }));
    expect(await screen.findByText("«Facturación» no recibió la prueba")).toBeVisible();
    expect(screen.getByText("El receptor no respondió a tiempo")).toBeVisible();
  });

  test("the secret changes after asking, and is shown once", async () => {
    const { user } = renderPage("/settings/webhooks/1");
    await rotate(user);
    const dialog = await screen.findByRole("dialog", { name: "Secreto del webhook" });
    expect(within(dialog).getByRole("textbox", { name: "Secreto" })).toHaveValue("whsec_OtroSecreto");
  });

  test("a secret that was not copied is not lost by leaving the page, and its button asks as well", async () => {
    const page = renderPage("/settings/webhooks/1");
    const { user } = page;
    await rotate(user);
    const dialog = within(await screen.findByRole("dialog", { name: "Secreto del webhook" }));
    await expectLeavingConfirms(page, uncopied);
    await user.click(dialog.getByRole("button", { name: "Ya lo tengo" }));
    await user.click(await screen.findByRole("button", { name: "Cerrar sin copiar" }));
    await waitFor(() => expect(screen.queryByDisplayValue("whsec_OtroSecreto")).not.toBeInTheDocument());
  });

  /** A change of the secret that is answered once the result is called. */
  const holdRotation = () => {
    let answer = () => {};
    const changed = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.use(
      http.post("/api/webhooks/1/rotate-secret", async () => {
        await changed;
        return HttpResponse.json({ ...sampleWebhook(1), secret: "whsec_OtroSecreto" });
      }),
    );
    return () => answer();
  };

  test("a secret that is being loaded is not lost by leaving the page", async () => {
    const answer = holdRotation();
    const page = renderPage("/settings/webhooks/1");
    await rotate(page.user);
    await expectLeavingConfirms(page, uncopied);
    // Confirming to leave after the secret has arrived stays on the page.
    await act(() => page.router.navigate("/settings/sessions"));
    const question = within(await screen.findByRole("dialog", { name: uncopied.title }));
    answer();
    expect(await screen.findByDisplayValue("whsec_OtroSecreto")).toBeVisible();
    await page.user.click(question.getByRole("button", { name: "Cerrar sin copiar" }));
    expect(page.address()).toBe("/settings/webhooks/1");
    expect(screen.getByDisplayValue("whsec_OtroSecreto")).toBeVisible();
  });

  test("the secret is not changed again before the new one was shown", async () => {
    const answer = holdRotation();
    const { user } = renderPage("/settings/webhooks/1");
    await rotate(user);
    await user.click(await screen.findByRole("button", { name: /más.*Facturación/i }));
    expect(await screen.findByRole("menuitem", { name: "Cambiar el secreto" })).toBeDisabled();
    answer();
    expect(await screen.findByDisplayValue("whsec_OtroSecreto")).toBeVisible();
  });

  test("a secret whose change the server did not confirm is not shown as unchanged", async () => {
    server.use(http.post("/api/webhooks/1/rotate-secret", () => HttpResponse.error()));
    const { user } = renderPage("/settings/webhooks/1");
    await rotate(user);
    expect(await screen.findByText("No se sabe si el secreto se cambió")).toBeVisible();
    expect(screen.getByText(/cámbialo otra vez y copia el nuevo/)).toBeVisible();
    expect(screen.queryByText("No se pudo cambiar el secreto")).not.toBeInTheDocument();
  });

  test("a secret whose change was refused stays as it was", async () => {
    server.use(http.post("/api/webhooks/1/rotate-secret", () => problem(404, { message: "No existe." })));
    const { user } = renderPage("/settings/webhooks/1");
    await rotate(user);
    expect(await screen.findByText("No se pudo cambiar el secreto")).toBeVisible();
    expect(screen.getByText("No existe.")).toBeVisible();
  });
});

describe("a paused webhook", () => {
  const pause = {
    pausedDate: "2026-11-20T10:15:00Z",
    failingSince: "2026-11-19T11:15:00Z",
    failures: 37,
    fault: "REFUSED",
    statusCode: 500,
  } as const;

  test("says so in the list, and is resumed there", async () => {
    setWebhooks(sampleWebhook(1, { pause }));
    const { user } = renderPage("/settings/webhooks");
    expect((await rows("Webhooks"))[0]?.[2]).toBe("En pausa");
    const bell = () => backend.requests.filter((request) => request === "GET /api/notices").length;
    await waitFor(() => expect(bell()).toBe(1));
    await user.click(screen.getByRole("button", { name: "Reanudar Facturación" }));
    await waitFor(async () => expect((await rows("Webhooks"))[0]?.[2]).toBe("Activo"));
    expect(backend.requests).toContain("POST /api/webhooks/1/resume");
    // It says how many are paused.
    await waitFor(() => expect(bell()).toBe(2));
    expect(screen.queryByRole("button", { name: "Reanudar Facturación" })).toBeNull();
  });

  test("says since when and why on its page, and is resumed there", async () => {
    setWebhooks(sampleWebhook(1, { pause }));
    const { user } = renderPage("/settings/webhooks/1");
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent(/En pausa desde el 20 de noviembre de 2026/);
    expect(alert).toHaveTextContent(/Los 37 intentos desde el 19 de noviembre de 2026.*HTTP 500/);
    await user.click(within(alert).getByRole("button", { name: "Reanudar" }));
    await waitFor(() => expect(screen.queryByText(/^En pausa/)).toBeNull());
  });

  test("a failure to resume is shown", async () => {
    setWebhooks(sampleWebhook(1, { pause }));
    server.use(
      http.post("/api/webhooks/:id/resume", () => problem(503, { code: "UNAVAILABLE", message: "Fuera" })),
    );
    const { user } = renderPage("/settings/webhooks");
    await user.click(await screen.findByRole("button", { name: "Reanudar Facturación" }));
    expect(await screen.findByText("No se pudo reanudar «Facturación»")).toBeVisible();
  });
});
