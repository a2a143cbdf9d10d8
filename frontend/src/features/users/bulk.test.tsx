// Many users at once: selected by admins alone, moved, and what was refused is named.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { chooseLanguage } from "../../i18n";
import type { Operation, OperationRequest } from "../../operations/queries";
import { backend } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";

let sent: (OperationRequest & { dryRun: boolean })[];

beforeEach(() => {
  sent = [];
  backend.user = { username: "jefa", roleCode: "admin", roleName: "Admin", permissions: [] };
  users.sent = [];
  users.all = [
    sampleUser("luis", { registeredBy: "ana_1" }),
    sampleUser("bea_2", { registeredBy: "ana_1" }),
    sampleUser("rosa_1", { roleCode: "agent", fullName: "Rosa Paz" }),
  ];
  const operation = (id: number): Operation => ({
    id,
    resource: "users",
    action: sent[id - 1]?.action as Operation["action"],
    import: null,
    undoOf: null,
    undoneBy: null,
    undoUntil: null,
    dryRun: sent[id - 1]?.dryRun ?? false,
    state: "FINISHED",
    failure: null,
    createdBy: "jefa",
    createdDate: "2026-11-20T10:00:00.000Z",
    finishedDate: "2026-11-20T10:00:01.000Z",
    total: 2,
    done: 2,
    counts: { changed: 1, unchanged: 0, refused: 1, conflicts: 0, missing: 0, created: 0 },
  });
  server.use(
    http.post("/api/operations", async ({ request }) => {
      sent.push((await request.json()) as (typeof sent)[number]);
      return HttpResponse.json(operation(sent.length), { status: 202 });
    }),
    http.get("/api/operations/:id", ({ params }) => HttpResponse.json(operation(Number(params.id)))),
    http.get("/api/operations/:id/rows", ({ request }) => {
      const isRefused = new URL(request.url).searchParams.get("verdict") === "REFUSED";
      const row = { position: 0, title: "Persona luis", itemId: "luis", before: {}, after: {}, problems: [] };
      return HttpResponse.json([
        isRefused
          ? {
              ...row,
              verdict: "REFUSED",
              problems: [
                {
                  field: "registeredBy",
                  code: "OWN_SUBTREE",
                  message: "No puede quedar por debajo de sí mismo",
                },
              ],
            }
          : {
              ...row,
              verdict: "CHANGED",
              before: { registeredBy: "ana_1" },
              after: { registeredBy: "rosa_1" },
            },
      ]);
    }),
  );
});

const box = (name: string) => screen.findByRole("checkbox", { name: `Seleccionar «Persona ${name}»` });

test("a user who was deleted is no longer selected", async () => {
  const { user } = renderPage("/users");
  for (const name of ["luis", "bea_2"])
    await user.click(await screen.findByRole("checkbox", { name: `Seleccionar «Persona ${name}»` }));
  expect(await screen.findByText("2 seleccionados")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Más acciones para «Persona luis»" }));
  await user.click(await screen.findByRole("menuitem", { name: "Eliminar «Persona luis»" }));
  const question = within(await screen.findByRole("dialog"));
  await user.click(question.getByRole("button", { name: "Eliminar" }));
  expect(await screen.findByText("1 seleccionado")).toBeVisible();
  expect(screen.getByRole("checkbox", { name: "Seleccionar «Persona bea_2»" })).toBeChecked();
});

test("selected users move to another agent, after a preview that says who cannot and why", async () => {
  const { user } = renderPage("/users");
  await user.click(await box("luis"));
  await user.click(await box("bea_2"));
  expect(await screen.findByText("2 seleccionados")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Cambiar…" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("combobox", { name: "Qué cambiar" }));
  await user.click(await screen.findByRole("option", { name: "Registrado por" }));
  await user.click(within(dialog).getByRole("combobox", { name: "Nuevo valor" }));
  await user.click(await screen.findByRole("option", { name: "Rosa Paz (rosa_1)" }));
  await user.click(within(dialog).getByRole("button", { name: "Vista previa" }));
  expect(await within(dialog).findByText(/No puede quedar por debajo/)).toBeVisible();
  expect(sent[0]).toMatchObject({
    resource: "users",
    ids: ["luis", "bea_2"],
    dryRun: true,
    action: { type: "SET", set: { registeredBy: "rosa_1" } },
  });
  await user.click(within(dialog).getByRole("button", { name: "Cambiar 1" }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]).toMatchObject({ dryRun: false, expectedCount: 2 });
});

test("a status is one of the names that the list shows", async () => {
  const { user } = renderPage("/users?roleCode=app&account=ACTIVE");
  await user.click(await box("luis"));
  await user.click(await screen.findByRole("button", { name: "Seleccionar los 2 que coinciden" }));
  await user.click(screen.getByRole("button", { name: "Cambiar…" }));
  const dialog = await screen.findByRole("dialog");
  await user.click(within(dialog).getByRole("combobox", { name: "Qué cambiar" }));
  await user.click(await screen.findByRole("option", { name: "Estado" }));
  await user.click(within(dialog).getByRole("combobox", { name: "Nuevo valor" }));
  const listbox = await screen.findByRole("listbox", { name: "Nuevo valor" });
  await user.click(within(listbox).getByRole("option", { name: "Suspendido" }));
  await user.click(within(dialog).getByRole("button", { name: "Vista previa" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]?.filter).toEqual({ roleCode: "app", status: "ACTIVE" });
  expect(sent[0]?.action.set).toEqual({ status: "SUSPENDED" });
});

test.each([
  ["es", "Rol", "Agente", "Usuario", /Las contraseñas de quienes tienen el rol «Usuario» dejarán de valer/],
  ["en", "Role", "Agent", "User", /The passwords of those whose role is “User” will stop working/],
] as const)("another role says which passwords end, in %s", async (language, field, other, app, said) => {
  const { user } = renderPage("/users");
  await user.click(await box("luis"));
  await act(() => chooseLanguage(language));
  await user.click(screen.getByRole("button", { name: /^(Cambiar|Change)…$/ }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("combobox", { name: /^(Qué cambiar|What to change)$/ }));
  await user.click(await screen.findByRole("option", { name: field }));
  const value = dialog.getByRole("combobox", { name: /^(Nuevo valor|New value)$/ });
  await user.click(value);
  await user.click(await screen.findByRole("option", { name: other }));
  expect(value).toHaveAccessibleDescription(said);
  await user.click(value);
  await user.click(await screen.findByRole("option", { name: app }));
  expect(value).not.toHaveAccessibleDescription(said);
});

test("agents can't select users", async () => {
  backend.user = {
    username: "ana_1",
    roleCode: "agent",
    roleName: "Agente",
    permissions: ["USER_READ", "USER_UPDATE"],
  };
  renderPage("/users");
  await screen.findByText("Persona luis");
  expect(screen.queryByRole("checkbox", { name: /Seleccionar/ })).not.toBeInTheDocument();
});
