// The bell: its notices, which of them are new, and that seen notices are stored.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { backend, problem, sent } from "../testing/backend";
import { activity } from "../testing/notes";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";

function beAgent(permissions = ["USER_READ", "USER_UPDATE"]) {
  backend.user = { username: "ana", roleCode: "agent", roleName: "", permissions };
}

test("shows new notices with links, and stores that they were seen", async () => {
  beAgent();
  activity.notices = [
    { kind: "OWN_LOW_STOCK", count: 3, newest: null, isNew: true },
    { kind: "EXPIRED", count: 1200, newest: "2026-11-20T09:00:00Z", isNew: false },
  ];
  const { user, address } = renderPage("/settings/sessions");
  await user.click(await screen.findByRole("button", { name: "Avisos: 1 nuevo" }));
  const menu = within(await screen.findByRole("menu"));
  expect(menu.getByRole("menuitem", { name: /Te quedan pocos créditos.*\(nuevo\).*3/ })).toBeVisible();
  await user.click(menu.getByRole("menuitem", { name: /Suscripciones vencidas.*1\.200/ }));
  await waitFor(() => expect(address()).toBe("/renewals?window=expired"));
  expect(await screen.findByRole("button", { name: "Avisos" })).toBeVisible();
  expect(activity.seen).toEqual([
    {
      notices: [
        { kind: "OWN_LOW_STOCK", count: 3, newest: null },
        { kind: "EXPIRED", count: 1200, newest: "2026-11-20T09:00:00Z" },
      ],
    },
  ]);
});

test("says that nothing is pending, and is hidden for users who do not sell", async () => {
  beAgent();
  const page = renderPage("/settings/sessions");
  await page.user.click(await screen.findByRole("button", { name: "Avisos" }));
  expect(await screen.findByText("No hay nada pendiente.")).toBeVisible();
  cleanup();
  beAgent(["USER_READ"]);
  renderPage("/settings/sessions");
  await screen.findByRole("button", { name: "Ir a…" });
  expect(screen.queryByRole("button", { name: /Avisos/ })).not.toBeInTheDocument();
});

test("shows that the notices could not be read, and retries", async () => {
  beAgent();
  server.use(http.get("/api/notices", () => problem(403, { message: "Hoy no." }), { once: true }));
  const { user } = renderPage("/settings/sessions");
  await user.click(await screen.findByRole("button", { name: "Avisos" }));
  expect(await screen.findByText("No se pudieron cargar los avisos. Hoy no.")).toBeVisible();
  await user.click(screen.getByRole("menuitem", { name: "Reintentar" }));
  expect(await screen.findByText("No hay nada pendiente.")).toBeVisible();
});

test("the list of a notice is read again, also where it was read just before", async () => {
  backend.user = {
    username: "eva",
    roleCode: "admin",
    roleName: "",
    permissions: ["USER_READ", "USER_UPDATE"],
  };
  activity.notices = [{ kind: "REVERSAL_REQUESTS", count: 1, newest: "2026-11-20T09:00:00Z", isNew: true }];
  const { user } = renderPage("/credits-history");
  await user.click(await screen.findByRole("button", { name: "Avisos: 1 nuevo" }));
  await waitFor(() => expect(sent("GET /api/credits/reversal-requests")).toHaveLength(1));
  // An agent asks for a reversal.
  const some = { username: "ana", fullName: "Ana" };
  const request = {
    id: 1,
    movementId: 11,
    operationId: "11",
    targetUser: { username: "pedro", fullName: "Pedro Gil" },
    amount: 3,
    operationDate: "2026-11-19T10:00:00Z",
    requestedBy: some,
    requestedDate: "2026-11-20T09:00:00Z",
    reason: null,
    status: "PENDING",
  };
  server.use(
    http.get("/api/credits/reversal-requests", () =>
      HttpResponse.json({ content: [request], page: 0, size: 20, totalPages: 1, totalElements: 1 }),
    ),
  );
  await user.click(await screen.findByRole("menuitem", { name: /Reversiones solicitadas/ }));
  expect(await screen.findByText("Solicitudes de reversión pendientes: 1")).toBeVisible();
});
