// The page of renewals as an agent with three customers opens it, and its dialog.
import { screen, waitFor, within } from "@testing-library/react";
import { expect } from "vitest";
import { backend } from "./backend";
import { renderPage } from "./render";
import { renewals, resetRenewals, sampleCustomer } from "./renewals";

export function setRenewals(): void {
  backend.user = {
    username: "ana",
    roleCode: "agent",
    roleName: "",
    permissions: ["USER_READ", "USER_UPDATE", "CREDIT_HISTORY_READ"],
  };
  resetRenewals();
  renewals.customers = [
    sampleCustomer("luis", { expirationDate: "2026-11-21T23:59:59.999Z" }),
    sampleCustomer("marta", { status: "SUSPENDED" }),
    sampleCustomer("pablo", { expired: true, expirationDate: "2026-09-01T10:00:00Z" }),
  ];
}

/** What selects a customer. */
export const box = (name: string) => screen.findByRole("checkbox", { name: `Seleccionar «Persona ${name}»` });

/** Selects customers, and opens the renewal of all of them. */
export async function openDialog(...names: string[]) {
  const page = renderPage("/renewals");
  for (const name of names) await page.user.click(await box(name));
  const bar = within(screen.getByRole("region", { name: "Clientes seleccionados" }));
  await page.user.click(bar.getByRole("button", { name: "Renovar" }));
  const dialog = within(await screen.findByRole("dialog"));
  const submit = () => dialog.getByRole("button", { name: /^(Renovar a|Nadie)/ });
  const ready = async () => {
    await waitFor(() => expect(submit()).toBeEnabled());
    return submit();
  };
  const months = await dialog.findByRole("textbox", { name: /Meses para cada uno/ });
  return { ...page, dialog, submit, ready, months };
}
