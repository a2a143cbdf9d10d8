// One webhook after the other: save and create another, and a duplicate of what is there.
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { sampleWebhook, setDeliveries, setWebhooks } from "../../testing/webhooks";

beforeEach(() => {
  backend.user = { username: "ana", roleCode: "admin", roleName: "", permissions: [] };
  setWebhooks(sampleWebhook(1));
  setDeliveries();
});

const name = () => screen.findByRole("textbox", { name: /Nombre/ });

async function closeSecret(user: ReturnType<typeof renderPage>["user"]) {
  const dialog = within(await screen.findByRole("dialog", { name: "Secreto del webhook" }));
  await user.click(dialog.getByRole("button", { name: "Copiar" }));
  await user.click(await dialog.findByRole("button", { name: "Ya lo tengo" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
}

test("saving and creating another shows the secret, and leaves an empty form with the focus", async () => {
  const { user, address } = renderPage("/settings/webhooks/create");
  await user.type(await name(), "Avisos");
  await pasteInto(user, screen.getByRole("textbox", { name: /Dirección/ }), "https://example.com/hook");
  await user.click(screen.getByRole("checkbox", { name: "Contenido eliminado" }));
  await user.click(screen.getByRole("button", { name: "Guardar y crear otro" }));
  await closeSecret(user);
  expect(address()).toBe("/settings/webhooks/create");
  await waitFor(async () => expect(await name()).toHaveValue(""));
  await waitFor(async () => expect(await name()).toHaveFocus());
  expect(screen.getByRole("checkbox", { name: "Contenido eliminado" })).not.toBeChecked();
});

test("a duplicate begins with the values of the webhook, and going back opens the original", async () => {
  const { user, address, router } = renderPage("/settings/webhooks/1/edit");
  await user.click(await screen.findByRole("button", { name: "Duplicar" }));
  await screen.findByRole("heading", { name: "Crear webhook" });
  expect(await name()).toHaveValue("Facturación");
  await user.type(await name(), " 2");
  await user.click(screen.getByRole("button", { name: "Crear webhook" }));
  await closeSecret(user);
  expect(backend.bodies.at(-1)).toMatchObject({ name: "Facturación 2", url: "https://example.com/avisos" });
  await waitFor(() => expect(address()).toMatch(/^\/settings\/webhooks\/\d+$/));
  await act(() => router.navigate(-1));
  expect(router.state.location.pathname).toBe("/settings/webhooks/1/edit");
});
