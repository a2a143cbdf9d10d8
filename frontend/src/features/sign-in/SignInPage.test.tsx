import { screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { storedUserKey } from "../../access/storedUser";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(() => {
  backend.user = null;
});

const username = () => screen.findByLabelText("Usuario");
const password = () => screen.getByLabelText("Contraseña");
const button = () => screen.getByRole("button", { name: "Iniciar sesión" });

test("the button waits until both fields are filled", async () => {
  const { user } = renderPage("/login");
  await user.type(await username(), "ana");
  expect(button()).toBeDisabled();
  await user.type(password(), "x");
  expect(button()).toBeEnabled();
  await user.clear(await username());
  expect(button()).toBeDisabled();
  await user.type(await username(), "   ");
  expect(button()).toBeDisabled();
});

test("a failure is shown in a box, and typing clears it", async () => {
  const { user } = renderPage("/login");
  await user.type(await username(), "ana");
  await user.type(password(), "mala{Enter}");
  expect(await screen.findByText("No se pudo iniciar sesión")).toBeVisible();
  expect(screen.getByText("Usuario o contraseña incorrectos.")).toBeVisible();
  await user.type(password(), "x");
  expect(screen.queryByText("No se pudo iniciar sesión")).not.toBeInTheDocument();
});

test("the box is called Login Failed in English", async () => {
  await chooseLanguage("en");
  const { user } = renderPage("/login");
  await user.type(await screen.findByLabelText("Username"), "ana");
  await user.type(screen.getByLabelText("Password"), "mala{Enter}");
  expect(await screen.findByText("Login Failed")).toBeVisible();
});

test.each<[string, () => Response, string]>([
  ["no server", () => HttpResponse.error(), "No se pudo iniciar sesión por un error de red"],
  [
    "a broken server",
    () => problem(500, {}),
    "Ocurrió un error en el servidor. Inténtalo de nuevo más tarde.",
  ],
  ["too many tries", () => problem(429, { message: "Espera 30 segundos." }), "Espera 30 segundos."],
])("with %s the reason is shown", async (_name, answer, text) => {
  server.use(http.post("/api/auth/login", answer));
  const { user } = renderPage("/login");
  await user.type(await username(), "ana");
  await user.type(password(), "secreta{Enter}");
  expect(await screen.findByText(text)).toBeVisible();
  expect(button()).toBeEnabled();
});

test("goes home, and back does not lead to the sign-in screen", async () => {
  const { user, router, address } = renderPage("/login");
  await user.type(await username(), "ana");
  await user.type(password(), "secreta{Enter}");
  expect(await screen.findByRole("heading", { name: "Panel de Gestión de Contenido" })).toBeVisible();
  expect(address()).toBe("/");
  expect(router.state.historyAction).toBe("REPLACE");
});

test("goes to the return path", async () => {
  const { user, address } = renderPage("/content/movies?page=2");
  await user.type(await username(), "ana");
  await user.type(password(), "secreta{Enter}");
  expect(await screen.findByRole("heading", { name: "Películas" })).toBeVisible();
  expect(address()).toBe("/content/movies?page=2");
});

test("a session that ended is shown", async () => {
  localStorage.setItem(storedUserKey, "{}");
  renderPage("/content/movies");
  expect(await screen.findByText("Tu sesión ha caducado. Inicia sesión de nuevo.")).toBeVisible();
});

test("who is signed in already is sent home", async () => {
  backend.user = { username: "ana", roleCode: "admin", roleName: "Administrador", permissions: [] };
  const { address } = renderPage("/login");
  expect(await screen.findByRole("heading", { name: "Panel de Administración" })).toBeVisible();
  expect(address()).toBe("/");
});

test("the default account is hinted at only while it is there", async () => {
  renderPage("/login");
  await username();
  await waitFor(() => expect(backend.requests).toContain("GET /api/auth/info"));
  expect(screen.queryByText(/cuenta de administración/)).not.toBeInTheDocument();
  server.use(http.get("/api/auth/info", () => HttpResponse.json({ defaultAccount: true })));
  renderPage("/login");
  expect(await screen.findByText(/Todavía existe la cuenta de administración/)).toBeVisible();
});

test("the language can be chosen before signing in", async () => {
  const { user } = renderPage("/login");
  await username();
  await user.click(screen.getByRole("button", { name: "English" }));
  expect(await screen.findByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(document.documentElement.lang).toBe("en");
  expect(localStorage.getItem("language")).toBe("en");
});
