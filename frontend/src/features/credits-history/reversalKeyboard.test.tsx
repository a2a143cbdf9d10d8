// The reversal of a movement by keyboard alone.
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { backend, sent } from "../../testing/backend";
import { sampleSale, setMovements } from "../../testing/credits";
import { renderPage } from "../../testing/render";
import { tabTo } from "../../testing/tabTo";

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "admin",
    roleName: "Mi rol",
    permissions: ["CREDIT_HISTORY_READ"],
  };
  setMovements(...sampleSale);
});

async function open() {
  const { user } = renderPage("/credits-history");
  const [button] = await screen.findAllByRole("button", { name: /^Revertir \+3 de Pedro Gil/ });
  if (!button) throw new Error("no button");
  button.focus();
  await user.keyboard("{Enter}");
  return { user, button, dialog: await screen.findByRole("dialog", { name: "Revertir movimiento" }) };
}

test.each(["{Escape}", "{Enter}"])(
  "%s on the safe choice closes the dialog, and the focus returns",
  async (key) => {
    const { user, button, dialog } = await open();
    await waitFor(() => expect(within(dialog).getByRole("button", { name: "Cancelar" })).toHaveFocus());
    await user.keyboard(key);
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    await waitFor(() => expect(button).toHaveFocus());
    expect(sent("POST")).toEqual(["POST /api/auth/refresh"]);
  },
);

test("Escape in a typed reason needs a confirmation", async () => {
  const { user, button, dialog } = await open();
  await tabTo(user, within(dialog).getByLabelText("Motivo (opcional)"));
  await user.keyboard("Pago{Escape}");
  await tabTo(user, await screen.findByRole("button", { name: "Salir sin guardar" }));
  await user.keyboard("{Enter}");
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  await waitFor(() => expect(button).toHaveFocus());
});

test("Enter on its button reverses, and the focus stays in the list", async () => {
  const { user, dialog } = await open();
  await tabTo(user, within(dialog).getByRole("button", { name: "Revertir" }));
  await user.keyboard("{Enter}");
  expect(await screen.findByText("Se revirtió el movimiento de Pedro Gil")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(sent("POST")).toEqual(["POST /api/auth/refresh", "POST /api/credits/10/reverse"]);
  await waitFor(() => expect(document.body).not.toHaveFocus());
});
