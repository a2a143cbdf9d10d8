// Users come in with a spreadsheet: for admins alone, with what becomes of each row.
import { screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import type { UploadedSpreadsheet } from "../../api/resourceFiles";
import type { Operation } from "../../operations/queries";
import { backend } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";

const uploaded: UploadedSpreadsheet = {
  id: 7,
  fileName: "clientes.csv",
  rows: 2,
  language: "es",
  worksheets: [],
  worksheet: null,
  columns: [
    { heading: "Usuario", samples: ["ana_1"], key: "username", fits: [] },
    { heading: "Contraseña", samples: [], key: null, fits: [] },
    { heading: "Rol", samples: ["Cliente"], key: "role", fits: [] },
  ],
  fields: [
    { key: "username", heading: "Usuario" },
    { key: "role", heading: "Rol" },
    { key: "email", heading: "Correo electrónico" },
    { key: "phoneNumber", heading: "Teléfono" },
    { key: "registeredBy", heading: "Registrado por" },
  ],
};

const operation: Operation = {
  id: 9,
  resource: "users",
  action: null,
  import: { sheet: 7, fileName: "clientes.csv", columns: ["username", null, "role"], defaults: [], rows: 2 },
  undoOf: null,
  undoneBy: null,
  undoUntil: null,
  dryRun: true,
  state: "FINISHED",
  failure: null,
  createdBy: "jefa",
  createdDate: "2026-11-20T10:00:00.000Z",
  finishedDate: "2026-11-20T10:00:01.000Z",
  total: 2,
  done: 2,
  counts: { changed: 0, unchanged: 0, refused: 1, conflicts: 0, missing: 0, created: 1 },
};

const row = { position: 0, itemId: "ana_1", title: "Ana", before: {}, problems: [], sheetRow: 2 };
const rows: Record<string, object[]> = {
  CREATED: [{ ...row, verdict: "CREATED", after: { roleCode: "app", credits: 3 } }],
  REFUSED: [
    {
      ...row,
      position: 1,
      sheetRow: 3,
      verdict: "REFUSED",
      after: {},
      problems: [{ field: "registeredBy", column: null, code: "UNKNOWN_REFERENCE", message: "No existe" }],
    },
  ],
};

let sent: unknown;

beforeEach(() => {
  sent = undefined;
  backend.user = { username: "jefa", roleCode: "admin", roleName: "Admin", permissions: [] };
  users.all = [sampleUser("luis")];
  server.use(
    http.post("/api/users/spreadsheet-imports", () => HttpResponse.json(uploaded, { status: 201 })),
    http.post("/api/users/spreadsheet-imports/7/run", async ({ request }) => {
      sent = await request.json();
      return HttpResponse.json(operation, { status: 202 });
    }),
    http.get("/api/operations/9", () => HttpResponse.json(operation)),
    http.get("/api/operations/9/rows", ({ request }) =>
      HttpResponse.json(rows[new URL(request.url).searchParams.get("verdict") ?? ""] ?? []),
    ),
  );
});

test("an admin sees what would become of each user before anything is imported", async () => {
  const { user } = renderPage("/users");
  await user.click(await screen.findByRole("button", { name: "Importar…" }));
  const dialog = await screen.findByRole("dialog", { name: "Importar una hoja de cálculo" });
  expect(within(dialog).getByText(/Las contraseñas no se importan/)).toBeVisible();
  expect(within(dialog).getByRole("link", { name: "Plantilla CSV" })).toHaveAttribute(
    "href",
    "/api/users/spreadsheet/template?format=csv&language=es",
  );
  await user.upload(within(dialog).getByLabelText("Archivo"), new File(["Usuario\n"], "clientes.csv"));
  await user.click(await within(dialog).findByRole("button", { name: "Vista previa" }));
  expect(await within(dialog).findByText("Registrado por: No existe")).toBeVisible();
  expect(within(dialog).getByText("Créditos de App")).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Importar 1 fila" })).toBeEnabled();
});

test("fields that a file of another panel lacks get one value for all new users", async () => {
  const { user } = renderPage("/users");
  await user.click(await screen.findByRole("button", { name: "Importar…" }));
  const dialog = await screen.findByRole("dialog", { name: "Importar una hoja de cálculo" });
  await user.upload(within(dialog).getByLabelText("Archivo"), new File(["Usuario\n"], "clientes.csv"));
  // The two fields that users need are there, since no column has them.
  await user.type(await within(dialog).findByLabelText("Valor de «Correo electrónico»"), "a@example.com");
  expect(within(dialog).getByLabelText("Valor de «Teléfono»")).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Añadir un valor" }));
  const fields = within(dialog).getAllByRole("textbox", { name: /^Valor de/ });
  expect(fields).toHaveLength(3);
  await user.click(within(dialog).getByRole("button", { name: "Quitar «Teléfono»" }));
  await user.type(within(dialog).getByLabelText("Valor de «Rol»"), "Cliente");
  await user.click(within(dialog).getByRole("button", { name: "Vista previa" }));
  await within(dialog).findByText("Registrado por: No existe");
  expect(sent).toMatchObject({
    defaults: [
      { key: "email", value: "a@example.com" },
      { key: "role", value: "Cliente" },
    ],
  });
});

test("agents can't import users", async () => {
  backend.user = {
    username: "agente",
    roleCode: "agent",
    roleName: "Agente",
    permissions: ["USER_READ", "USER_CREATE", "USER_UPDATE"],
  };
  renderPage("/users");
  expect(await screen.findByRole("button", { name: "Exportar…" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Importar…" })).toBeNull();
});
