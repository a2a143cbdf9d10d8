// Without a network: every call is sent at once and fails with a message; nothing is queued.
import { onlineManager } from "@tanstack/react-query";
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { backend } from "../testing/backend";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";
import { sampleUser, users } from "../testing/users";

const networkMessage = "Error de red. Comprueba tu conexión e inténtalo de nuevo.";

/** Offline as in a browser: the library is notified, and every call fails. */
function goOffline() {
  onlineManager.setOnline(false);
  server.use(http.all("/api/*", () => HttpResponse.error()));
}

/** The methods of the calls that the network's return sends. One that waited for it goes on in the same task. */
async function goOnline(): Promise<string[]> {
  server.resetHandlers();
  const calls = vi.spyOn(globalThis, "fetch");
  await act(async () => onlineManager.setOnline(true));
  return calls.mock.calls.map(([, init]) => init?.method ?? "GET");
}

beforeEach(() => {
  backend.user = { username: "jefa", roleCode: "admin", roleName: "", permissions: [] };
  users.sent = [];
  users.all = [sampleUser("luis", { credits: 2 })];
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => onlineManager.setOnline(true));

test("a sale that was cancelled without a network is never sent", async () => {
  const { user, address } = renderPage("/users?openCredits=luis");
  const dialog = within(await screen.findByRole("dialog", { name: "Gestión de Créditos" }));
  await user.type(await dialog.findByLabelText(/Cantidad/), "3");
  const send = dialog.getByRole("button", { name: "Añadir 3 créditos" });
  await waitFor(() => expect(send).toHaveAttribute("aria-disabled", "false"));
  goOffline();
  await user.click(send);
  expect(await dialog.findByText("No se pudo completar la operación")).toBeVisible();
  expect(dialog.getAllByText(networkMessage)[0]).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(address()).toBe("/users"));
  expect(await goOnline()).not.toContain("POST");
});

test("a toggle without a network is reverted with the reason, and is not sent later", async () => {
  const { user } = renderPage("/content/movies");
  const toggle = await screen.findByRole("switch", { name: "«Dune» activo" });
  const before = (toggle as HTMLInputElement).checked;
  goOffline();
  await user.click(toggle);
  expect(await screen.findByText(networkMessage)).toBeVisible();
  await waitFor(() => expect((toggle as HTMLInputElement).checked).toBe(before));
  expect(await goOnline()).not.toContain("PATCH");
});

test("a page that cannot be loaded without network shows an error and a retry; old rows keep their label", async () => {
  const { user } = renderPage("/content/movies");
  expect(await screen.findByText("Mostrando 1 a 10 de 65 resultados")).toBeVisible();
  let isHeld = true;
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  onlineManager.setOnline(false);
  server.use(
    http.get("/api/movies", async () => {
      if (isHeld) await held;
      return HttpResponse.error();
    }),
  );
  await user.click(screen.getByRole("button", { name: "Página siguiente" }));
  // The old rows are on the screen, and so is what they are.
  expect(screen.getByRole("table", { name: "Películas" })).toBeVisible();
  expect(screen.getByText("Mostrando 1 a 10 de 65 resultados")).toBeVisible();
  isHeld = false;
  release();
  expect(await screen.findByText(networkMessage)).toBeVisible();
  server.resetHandlers();
  onlineManager.setOnline(true);
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  expect(await screen.findByText("Mostrando 11 a 20 de 65 resultados")).toBeVisible();
});
