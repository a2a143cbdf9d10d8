// One entry of a list of settings after the other.
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { setSettings } from "../../testing/settings";

beforeEach(() => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin", permissions: [] };
  setSettings();
});

test("saving and creating another adds the message, and leaves an empty form with the focus", async () => {
  const { user, address } = renderPage("/settings/general?tab=messages&edit=new");
  const message = () => screen.findByRole("textbox", { name: /^Mensaje/ });
  await user.type(await message(), "Mañana hay corte");
  await user.click(screen.getByRole("button", { name: "Guardar y crear otro" }));
  expect(await screen.findByText("Mensaje de alerta añadido")).toBeVisible();
  expect(address()).toBe("/settings/general?tab=messages&edit=new");
  await waitFor(async () => expect(await message()).toHaveValue(""));
  await waitFor(async () => expect(await message()).toHaveFocus());
  expect(backend.tables["alert-messages"]).toHaveLength(2);
});

test("an entry that is edited has no other after it", async () => {
  renderPage("/settings/general?tab=messages&edit=1");
  expect(await screen.findByDisplayValue("Esta noche habrá cortes por mantenimiento.")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Guardar y crear otro" })).not.toBeInTheDocument();
});
