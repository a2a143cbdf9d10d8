// The shell: menus by permission, unknown addresses, the end of a session.
import { screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { expect, test, vi } from "vitest";
import { backend, problem } from "../testing/backend";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

test("a menu shows only what the user may open", async () => {
  be("agent", ["USER_READ", "CREDIT_HISTORY_READ"]);
  const { user } = renderPage("/");
  const menus = await screen.findByRole("navigation", { name: "Menús" });
  expect(
    within(menus)
      .getAllByRole("button")
      .map((button) => button.textContent),
  ).toEqual(["Administración"]);
  await user.click(within(menus).getByRole("button", { name: "Administración" }));
  const items = await screen.findAllByRole("menuitem");
  expect(items.map((item) => item.textContent)).toEqual([
    "Usuarios",
    "Movimiento Crédito",
    "Estado de cuenta",
  ]);
});

test("an admin has every menu of the specification, and those for integrators", async () => {
  be("admin");
  const { user } = renderPage("/");
  const menus = await screen.findByRole("navigation", { name: "Menús" });
  const found: Record<string, (string | null)[]> = {};
  for (const button of within(menus).getAllByRole("button")) {
    await user.click(button);
    const items = await screen.findAllByRole("menuitem");
    found[button.textContent ?? ""] = items.map((item) => item.textContent);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("menuitem")).not.toBeInTheDocument());
  }
  expect(found).toEqual({
    Administración: [
      "Usuarios",
      "Renovaciones",
      "Historial de visitas",
      "Errores Reproducción",
      "Movimiento Crédito",
      "Estado de cuenta",
      "Auditoría",
    ],
    Contenidos: [
      "Categorías",
      "Canales de TV",
      "Estaciones de Radio",
      "Guía de Canales de TV",
      "Programación",
      "Estado de las guías",
      "Revisión de guías",
      "Enlaces",
      "Listas M3U",
      "Documentales",
      "Películas",
      "Conciertos",
      "Series",
      "Deportes",
      "Completitud",
      "Operaciones masivas",
      "Papelera",
    ],
    Configuración: [
      "General",
      "Claves de API",
      "Perfiles de TV en directo",
      "Webhooks",
      "Copias de seguridad",
    ],
  });
});

test.each(["/nowhere", "/content/nothing", "/content/movies/1/edit/more"])("%s leads home", async (path) => {
  const { address } = renderPage(path);
  expect(await screen.findByRole("heading", { name: "Panel de Gestión de Contenido" })).toBeVisible();
  expect(address()).toBe("/");
});

test("a page without permission redirects to the home page", async () => {
  be("agent", ["USER_READ"]);
  const { address } = renderPage("/content/movies");
  expect(await screen.findByRole("heading", { name: "Panel de Agente" })).toBeVisible();
  expect(address()).toBe("/");
});

test("signing out opens the sign-in, which does not return to the previous page", async () => {
  const { user, router } = renderPage("/content/movies");
  await user.click(await screen.findByRole("button", { name: "Menú de ana" }));
  await user.click(await screen.findByRole("menuitem", { name: "Cerrar Sesión" }));
  expect(await screen.findByLabelText("Usuario")).toBeVisible();
  expect(router.state.location.state).toEqual({ from: undefined });
});

test("an expired session opens the sign-in over the page, which stays usable afterwards", async () => {
  const { user, address } = renderPage("/content/movies");
  await screen.findByText("Dune");
  server.use(http.get("/api/categories", () => problem(401, { code: "NOT_AUTHENTICATED" })));
  await user.click(screen.getByRole("button", { name: "Contenidos" }));
  await user.click(await screen.findByRole("menuitem", { name: "Categorías" }));
  expect(await screen.findByText("Tu sesión ha caducado. Inicia sesión de nuevo.")).toBeVisible();
  expect(address()).toBe("/content/categories");
  server.resetHandlers();
  await user.type(screen.getByLabelText("Contraseña"), "secreta{Enter}");
  expect(await screen.findByRole("heading", { name: "Categorías" })).toBeVisible();
  expect(address()).toBe("/content/categories");
});

test("an uncaught failure shows the error screen, which can try again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  // A list without `content` makes its screen throw.
  server.use(
    http.get("/api/movies", () => Response.json({ content: [null], totalElements: 1, totalPages: 1 })),
  );
  const { user } = renderPage("/content/movies");
  expect(await screen.findByRole("heading", { name: "Algo salió mal" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Recargar la página" })).toBeVisible();
  server.resetHandlers();
  await user.click(screen.getByRole("button", { name: "Intentar de nuevo" }));
  expect(await screen.findByRole("heading", { name: "Películas" })).toBeVisible();
});

test("the command palette leads to pages and to titles that the server finds", async () => {
  const { user, address } = renderPage("/");
  await user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  await user.type(
    await screen.findByPlaceholderText("Ir a una página o buscar un título o un usuario…"),
    "dun",
  );
  await user.click(await screen.findByRole("button", { name: /Dune/ }));
  expect(await screen.findByRole("heading", { name: "Editar «Dune»" })).toBeVisible();
  expect(address()).toBe("/content/movies/2/edit");
});
