// My sessions, and those of a user on their edit page.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleSession, sessions } from "../../testing/sessions";

beforeEach(() => {
  sessions.own = [
    sampleSession("a", { current: true }),
    sampleSession("b", { device: "Tele/1.0", address: null }),
    sampleSession("c", { device: null }),
  ];
});

const rows = async () =>
  within(await screen.findByRole("table", { name: "Mis sesiones" }))
    .getAllByRole("row")
    .slice(1);

test("the user menu leads to one's sessions, and each says where it is used", async () => {
  const { user, address } = renderPage("/");
  await user.click(await screen.findByRole("button", { name: /^Menú de/ }));
  await user.click(await screen.findByRole("menuitem", { name: "Mis sesiones" }));
  await waitFor(() => expect(address()).toBe("/settings/sessions"));
  const listed = (await rows()).map((row) =>
    within(row)
      .getAllByRole("cell")
      .slice(0, 2)
      .map((cell) => cell.textContent),
  );
  expect(listed).toEqual([
    ["Firefox · WindowsEsta sesión", "192.0.2.1"],
    ["Tele/1.0", "—"],
    ["Dispositivo desconocido", "192.0.2.1"],
  ]);
});

test("one session is ended, and never the current one from here", async () => {
  const { user } = renderPage("/settings/sessions");
  const [current, other] = await rows();
  expect(within(current as HTMLElement).queryByRole("button")).toBeNull();
  await user.click(
    within(other as HTMLElement).getByRole("button", { name: "Cerrar la sesión de Tele/1.0" }),
  );
  await waitFor(async () => expect(await rows()).toHaveLength(2));
  expect(backend.requests).toContain("DELETE /api/auth/sessions/b");
});

test("all other sessions are ended after a question", async () => {
  const { user } = renderPage("/settings/sessions");
  await rows();
  await user.click(screen.getByRole("button", { name: "Cerrar las demás sesiones" }));
  const question = await screen.findByRole("dialog", { name: "Cerrar las demás sesiones" });
  expect(backend.requests).not.toContain("DELETE /api/auth/sessions");
  await user.click(within(question).getByRole("button", { name: "Cerrar sesiones" }));
  await waitFor(async () => expect(await rows()).toHaveLength(1));
  expect(backend.requests).toContain("DELETE /api/auth/sessions");
  expect(screen.getByRole("button", { name: "Cerrar las demás sesiones" })).toBeDisabled();
});

test("a failure is shown", async () => {
  server.use(
    http.delete("/api/auth/sessions/:id", () =>
      problem(404, { code: "NOT_FOUND", message: "Sesión no encontrada" }),
    ),
  );
  const { user } = renderPage("/settings/sessions");
  const [, other] = await rows();
  await user.click(within(other as HTMLElement).getByRole("button"));
  expect(await screen.findByText("Sesión no encontrada")).toBeVisible();
});

test("where sessions cannot be loaded, the page says so and tries again", async () => {
  server.use(http.get("/api/auth/sessions", () => problem(503, { code: "UNAVAILABLE", message: "Fuera" })));
  const { user } = renderPage("/settings/sessions");
  expect(await screen.findByText("No se pudieron cargar las sesiones")).toBeVisible();
  server.use(http.get("/api/auth/sessions", () => HttpResponse.json(sessions.own)));
  await user.click(screen.getByRole("button", { name: /reintentar/i }));
  expect(await rows()).toHaveLength(3);
});
