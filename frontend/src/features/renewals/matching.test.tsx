// All customers that match: the server finds them when the renewal opens and again before it is sold, so that what was
// confirmed is what is sold, also where another tab sells meanwhile.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { renewals, sampleCustomer } from "../../testing/renewals";
import { box, setRenewals } from "../../testing/renewalsPage";
import { server } from "../../testing/server";

beforeEach(setRenewals);

const bar = () => within(screen.getByRole("region", { name: "Clientes seleccionados" }));

/** A list of more customers than its page shows. */
function listOf(total: number): void {
  server.use(
    http.get("/api/renewals", () =>
      HttpResponse.json({
        content: renewals.customers,
        page: 0,
        size: 25,
        totalPages: Math.ceil(total / 25),
        totalElements: total,
      }),
    ),
  );
}

/** Selects all that match, and opens their renewal. */
async function openAll(address = "/renewals?search=per") {
  const shown = renewals.customers;
  // The page has one of them.
  listOf(shown.length);
  const page = renderPage(address);
  await page.user.click(await box("luis"));
  await page.user.click(bar().getByRole("button", { name: `Seleccionar los ${shown.length} que coinciden` }));
  expect(bar().getByText(`${shown.length} clientes seleccionados`)).toBeVisible();
  await page.user.click(bar().getByRole("button", { name: "Renovar" }));
  const dialog = within(await screen.findByRole("dialog"));
  return { ...page, dialog };
}

async function confirm(user: Awaited<ReturnType<typeof openAll>>["user"], dialog: ReturnType<typeof within>) {
  const submit = await dialog.findByRole("button", { name: /^Renovar a/ });
  await waitFor(() => expect(submit).toBeEnabled());
  await user.click(submit);
}

const ending = () => {
  renewals.customers = renewals.customers.filter(({ expired }) => !expired);
};

test("all that match are renewed, each with its own idempotency key, and the selection is cleared", async () => {
  ending();
  const { user, dialog } = await openAll();
  await confirm(user, dialog);
  expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
  expect(renewals.matched).toEqual([
    { window: "DAYS_7", search: "per" },
    { window: "DAYS_7", search: "per" },
  ]);
  expect(new Set(renewals.sent.map(({ key }) => key)).size).toBe(2);
  expect(renewals.stock).toBe(18);
  await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  expect(await box("luis")).not.toBeChecked();
});

test("a number other than the confirmed one is shown, and nothing is sold", async () => {
  ending();
  const { user, dialog } = await openAll();
  await dialog.findByText("Persona marta");
  renewals.customers = [...renewals.customers, sampleCustomer("nueva")];
  await confirm(user, dialog);
  expect(await dialog.findByText("Han cambiado los clientes que coinciden")).toBeVisible();
  expect(dialog.getByText(/ahora, 3\. No se ha vendido nada/)).toBeVisible();
  // Confirming again does not sell to customers that were not shown.
  await confirm(user, dialog);
  await waitFor(() => expect(renewals.matched).toHaveLength(3));
  expect(renewals.sent).toEqual([]);
});

test.each([
  ["who ends later, because another tab sold to them", { expirationDate: "2026-12-02T23:59:59.999Z" }],
  ["who is another one", { username: "otra" }],
])("a customer %s is not sold to, and neither are the others", async (_, change) => {
  ending();
  const { user, dialog } = await openAll();
  await dialog.findByText("Persona marta");
  renewals.customers = renewals.customers.map((one) =>
    one.username === "marta" ? { ...one, ...change } : one,
  );
  await confirm(user, dialog);
  expect(await dialog.findByText(/^No se ha vendido nada\./)).toBeVisible();
  expect(renewals.sent).toEqual([]);
});

test("a number that changed before the dialog opened is shown there", async () => {
  ending();
  listOf(7);
  const { user } = renderPage("/renewals");
  await user.click(await box("luis"));
  await user.click(bar().getByRole("button", { name: "Seleccionar los 7 que coinciden" }));
  await user.click(bar().getByRole("button", { name: "Renovar" }));
  const failure = within(await screen.findByRole("alert", { name: "No se pudo calcular el resultado" }));
  expect(failure.getByText(/ahora, 2/)).toBeVisible();
});

test("more than are renewed at once are refused with the limit, and taking one out leaves its page", async () => {
  listOf(1204);
  const { user } = renderPage("/renewals");
  await user.click(await box("luis"));
  await user.click(bar().getByRole("button", { name: "Seleccionar los 1.204 que coinciden" }));
  expect(bar().getByText(/^Se renuevan 100 como mucho a la vez: acota/)).toBeVisible();
  expect(bar().getByRole("button", { name: "Renovar" })).toBeDisabled();
  expect(bar().getByRole("button", { name: "Escribir" })).toBeDisabled();
  await user.click(await box("luis"));
  expect(bar().getByText("2 clientes seleccionados")).toBeVisible();
  expect(bar().getByText(/^Solo de esta página/)).toBeVisible();
});

test("a message goes to all that match, on all pages", async () => {
  const { user } = renderPage("/renewals?snoozed=true");
  await user.click(await box("luis"));
  await user.click(bar().getByRole("button", { name: "Seleccionar los 3 que coinciden" }));
  await user.click(bar().getByRole("button", { name: "Escribir" }));
  const dialog = within(await screen.findByRole("dialog", { name: /Persona/ }));
  expect(await dialog.findByText("1 de 3")).toBeVisible();
  expect(backend.requests).toContain(
    "GET /api/renewals?window=DAYS_7&_page=0&_size=100&_sort=expirationDate&snoozed=true",
  );
});
