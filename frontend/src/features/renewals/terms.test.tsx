// Months and customers of a renewal that a crash of the browser interrupts before it is confirmed.
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { losePage } from "../../testing/leaving";
import { renewals } from "../../testing/renewals";
import { openDialog, setRenewals } from "../../testing/renewalsPage";

beforeEach(setRenewals);

const stored = () => localDraft("ana", "renewal luis,marta,pablo")?.values;
const restore = { name: "Recuperar" };

async function crashAfterMonths() {
  const { user, dialog, months } = await openDialog("luis", "marta", "pablo");
  await user.clear(months);
  await user.type(months, "3");
  const own = dialog.getByRole("textbox", { name: "Meses para «Persona marta»" });
  await user.clear(own);
  await user.type(own, "6");
  await user.click(dialog.getByRole("button", { name: "Quitar a «Persona pablo»" }));
  await waitFor(() => expect(stored()).toEqual({ common: 3, own: { marta: 6 }, removed: ["pablo"] }));
  losePage();
}

test("they are restored for the same customers, and no longer stored once they are sold", async () => {
  await crashAfterMonths();
  const { user, dialog, months, ready } = await openDialog("marta", "luis", "pablo");
  await user.click(await dialog.findByRole("button", restore));
  expect(months).toHaveValue("3");
  expect(dialog.getByRole("textbox", { name: "Meses para «Persona marta»" })).toHaveValue("6");
  expect(dialog.queryByText("Persona pablo")).not.toBeInTheDocument();
  await user.click(await ready());
  expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
  expect(renewals.sent.map(({ username, months }) => [username, months])).toEqual([
    ["luis", 3],
    ["marta", 6],
  ]);
  expect(stored()).toBeUndefined();
});

test("they are not proposed for other customers", async () => {
  await crashAfterMonths();
  const { dialog, months } = await openDialog("luis", "marta");
  expect(months).toHaveValue("1");
  expect(dialog.queryByRole("button", restore)).not.toBeInTheDocument();
  expect(stored()).toBeDefined();
});

test("they are no longer stored once they are left on purpose", async () => {
  await crashAfterMonths();
  const { user, dialog } = await openDialog("luis", "marta", "pablo");
  await user.click(await dialog.findByRole("button", restore));
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(stored()).toBeUndefined();
});

test("without months for each there is no cost, and none on its way", async () => {
  const { user, dialog, ready } = await openDialog("luis", "marta");
  await ready();
  await user.clear(dialog.getByRole("textbox", { name: "Meses para «Persona marta»" }));
  const cost = dialog.getByText("Créditos que se usan").parentElement;
  await waitFor(() => expect(cost).toHaveTextContent("—"));
});
