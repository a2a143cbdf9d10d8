// Sales without an answer: they are looked up before anything else is sold, by the page that sent them or by another one.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { keepBatch, keepUnanswered, type Sale, unansweredSale } from "../../api/openSales";
import { problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { renewals, sellOnce } from "../../testing/renewals";
import { box, openDialog, setRenewals } from "../../testing/renewalsPage";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";
import { checkedBatch } from "./batch";

beforeEach(setRenewals);

/** A sale of a renewal that is kept. */
const sale = (username: string, change: Partial<Sale> = {}): Sale => ({
  username,
  fullName: `Persona ${username}`,
  months: 2,
  key: `key-${username}`,
  state: "waiting",
  ...change,
});

describe("what has no answer, here or in the credit dialog, is looked up by the other", () => {
  beforeEach(() => {
    users.all = [sampleUser("luis", { credits: 2, expirationDate: "2026-11-21T23:59:59.999Z" })];
  });

  /** The next sale gets no answer; it is made all the same, or is not. */
  const loseAnswer = (isSold: boolean) =>
    server.use(
      http.post(
        "/api/credits/add",
        async ({ request }) => {
          const body = (await request.json()) as { targetUsername: string; amount: number };
          const key = request.headers.get("idempotency-key") ?? "";
          if (isSold) sellOnce(key, body.targetUsername, body.amount);
          else renewals.sent.push({ key, username: body.targetUsername, months: body.amount });
          return HttpResponse.error();
        },
        { once: true },
      ),
    );

  async function openCredits(months: string) {
    const { user } = renderPage("/users?openCredits=luis");
    const dialog = within(await screen.findByRole("dialog", { name: "Gestión de Créditos" }));
    await user.type(await dialog.findByLabelText(/Cantidad/), months);
    const send = async () => {
      const button = dialog.getByRole("button", { name: /^Añadir/ });
      await waitFor(() => expect(button).toHaveAttribute("aria-disabled", "false"));
      await user.click(button);
    };
    return { dialog, send };
  }

  async function renewInVain(isSold: boolean) {
    const { user, dialog, ready } = await openDialog("luis");
    loseAnswer(isSold);
    await user.click(await ready());
    expect(await dialog.findByText("Sin respuesta")).toBeVisible();
    cleanup();
  }

  async function sellInVain(isSold: boolean) {
    const { dialog, send } = await openCredits("1");
    loseAnswer(isSold);
    await send();
    expect(await dialog.findByText("No se pudo completar la operación")).toBeVisible();
    cleanup();
  }

  test("a completed renewal is shown in the credit dialog, and nothing is sent", async () => {
    await renewInVain(true);
    const { dialog, send } = await openCredits("1");
    await send();
    expect(await dialog.findByText("Se añadió 1 crédito a «Persona luis»")).toBeVisible();
    expect(dialog.getByText(/Lo de ahora todavía no se ha enviado/)).toBeVisible();
    expect(renewals.sent).toHaveLength(1);
    expect(sessionStorage).toHaveLength(0);
  });

  test("a renewal that was not made is sold by the credit dialog under the same key", async () => {
    await renewInVain(false);
    const { send } = await openCredits("1");
    await send();
    expect(await screen.findByText("Se añadió 1 crédito a «Persona luis»")).toBeVisible();
    expect(renewals.sent).toHaveLength(2);
    expect(renewals.sent[1]?.key).toBe(renewals.sent[0]?.key);
    expect(sessionStorage).toHaveLength(0);
  });

  test("whom the credit dialog sold something else is not renewed by what was left unfinished", async () => {
    await renewInVain(false);
    const { send } = await openCredits("3");
    await send();
    expect(await screen.findByText("Se añadieron 3 créditos a «Persona luis»")).toBeVisible();
    cleanup();
    renderPage("/renewals");
    await box("luis");
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    expect(screen.queryByText("Hay una renovación sin terminar.")).not.toBeInTheDocument();
  });

  test("a completed sale of the credit dialog is shown in the renewal, which sells to the others", async () => {
    await sellInVain(true);
    const { user, dialog, ready } = await openDialog("luis", "marta");
    await user.click(await ready());
    expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
    expect(dialog.getByText(/Es lo que enviaste antes y quedó sin respuesta: 1 crédito\./)).toBeVisible();
    expect(renewals.sent.map(({ username }) => username)).toEqual(["luis", "marta"]);
    expect(renewals.stock).toBe(18);
    expect(sessionStorage).toHaveLength(0);
  });

  test("a sale of the credit dialog that was not made is renewed under the same key", async () => {
    await sellInVain(false);
    const { user, dialog, ready } = await openDialog("luis");
    await user.click(await ready());
    expect(await dialog.findByText("1 cliente renovado")).toBeVisible();
    expect(renewals.sent).toHaveLength(2);
    expect(renewals.sent[1]?.key).toBe(renewals.sent[0]?.key);
  });

  test("nothing is sold while that cannot be found out", async () => {
    await sellInVain(true);
    const { user, dialog, ready } = await openDialog("luis");
    server.use(http.post("/api/renewals/sales", () => problem(503, {}), { once: true }));
    await user.click(await ready());
    expect(await dialog.findByText("No se pudo comprobar qué se vendió")).toBeVisible();
    expect(renewals.sent).toHaveLength(1);
    await user.click(await ready());
    expect(await dialog.findByText(/Es lo que enviaste antes/)).toBeVisible();
    expect(renewals.sent).toHaveLength(1);
  });

  test("a completed sale of the credit dialog is shown in an interrupted renewal, and not repeated", async () => {
    keepBatch("ana", [sale("luis"), sale("marta")]);
    await sellInVain(true);
    const { user } = renderPage("/renewals");
    const dialog = within(await screen.findByRole("dialog", { name: "La renovación se interrumpió" }));
    expect(await dialog.findByText("1 cliente renovado. Queda 1 sin renovar.")).toBeVisible();
    expect(dialog.getByText(/Es lo que enviaste antes y quedó sin respuesta: 1 crédito\./)).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Renovar al que falta" }));
    expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
    expect(renewals.sent.map(({ username }) => username)).toEqual(["luis", "marta"]);
    expect(renewals.stock).toBe(17);
    expect(sessionStorage).toHaveLength(0);
  });

  test("a sale of the credit dialog that was not made is in an interrupted renewal under the same key, also later", async () => {
    keepBatch("ana", [sale("luis", { months: 1 })]);
    await sellInVain(false);
    const { user } = renderPage("/renewals");
    const dialog = within(await screen.findByRole("dialog", { name: "La renovación se interrumpió" }));
    expect(await dialog.findByText("Sin respuesta")).toBeVisible();
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Revisar" }));
    // It may still arrive.
    expect(await screen.findByText("Sin respuesta")).toBeVisible();
    await user.click(await screen.findByRole("button", { name: "Renovar al que falta" }));
    expect(await screen.findByText("1 cliente renovado")).toBeVisible();
    expect(renewals.sent).toHaveLength(2);
    expect(renewals.sent[1]?.key).toBe(renewals.sent[0]?.key);
    expect(sessionStorage).toHaveLength(0);
  });

  test("something else that the credit dialog sent stays to be looked up", async () => {
    keepBatch("ana", [sale("luis", { months: 3 })]);
    await sellInVain(false);
    renderPage("/renewals");
    expect(await screen.findByText("Pendiente")).toBeVisible();
    expect(unansweredSale("ana", "luis")?.key).toBe(renewals.sent[0]?.key);
  });

  test("sales of more customers than one call looks up are looked up in several", async () => {
    const batch = Array.from({ length: 60 }, (_, index) => sale(`cliente${index}`));
    for (const { username } of batch) {
      const key = `sent-${username}`;
      keepUnanswered("ana", username, { key, body: JSON.stringify({ targetUsername: username, amount: 1 }) });
      renewals.sold.set(key, { username, months: 1 });
    }
    const checked = await checkedBatch("ana", batch);
    expect(checked.filter(({ state }) => state === "sold")).toHaveLength(60);
  });
});

describe("after a reload in the middle", () => {
  test("the ledger says what was sold, and only the rest is", async () => {
    renewals.sold.set("key-luis", { username: "luis", months: 2 });
    keepBatch("ana", [sale("luis", { state: "sending" }), sale("marta")]);
    const { user } = renderPage("/renewals");
    const dialog = within(await screen.findByRole("dialog", { name: "La renovación se interrumpió" }));
    expect(await dialog.findByText("1 cliente renovado. Queda 1 sin renovar.")).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Renovar al que falta" }));
    expect(await dialog.findByText("2 clientes renovados")).toBeVisible();
    expect(renewals.sent).toEqual([{ key: "key-marta", username: "marta", months: 2 }]);
  });

  test("what was sent a moment ago may still be sold: it stays open, also when it is closed", async () => {
    keepBatch("ana", [sale("luis", { state: "sending", sentAt: Date.now() - 30_000 })]);
    const { user } = renderPage("/renewals");
    const dialog = within(await screen.findByRole("dialog"));
    expect(await dialog.findByText("Sin respuesta")).toBeVisible();
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    expect(await screen.findByText("Hay una renovación sin terminar.")).toBeVisible();
    // It arrived after the first look.
    renewals.sold.set("key-luis", { username: "luis", months: 2 });
    await user.click(screen.getByRole("button", { name: "Revisar" }));
    expect(await screen.findByText("1 cliente renovado")).toBeVisible();
    expect(renewals.sent).toEqual([]);
  });

  test("what was sent some minutes ago is not sold any more", async () => {
    keepBatch("ana", [sale("luis", { state: "unknown", sentAt: Date.now() - 3 * 60_000 })]);
    renderPage("/renewals");
    expect(await screen.findByText("Pendiente")).toBeVisible();
  });

  test("is not shown to another user who signs in", async () => {
    keepBatch("otra", [sale("luis")]);
    renderPage("/renewals");
    await box("luis");
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    expect(screen.queryByText("Hay una renovación sin terminar.")).not.toBeInTheDocument();
  });

  test("the unfinished rest can be dismissed", async () => {
    keepBatch("ana", [sale("luis")]);
    const { user } = renderPage("/renewals");
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByText("Pendiente");
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    cleanup();
    renderPage("/renewals");
    await box("luis");
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
    expect(renewals.sent).toEqual([]);
  });
});
