// The history of a user in their form: an earlier version goes into it, and is saved like any other edit.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";

const entry = (id: number, change: object) => ({
  id,
  occurredAt: "2026-11-20T10:00:00Z",
  actor: "jefa",
  source: "REQUEST",
  address: null,
  operationId: null,
  action: "UPDATED",
  resource: "users",
  item: "luis",
  title: "luis",
  version: id,
  before: {},
  after: {},
  ...change,
});

const entries = [
  entry(5, { version: null, before: {}, after: { note: "Llama mañana" } }),
  entry(4, {
    before: { fullName: "Luis Gil", status: "SUSPENDED" },
    after: { fullName: "Persona luis", status: "ACTIVE" },
  }),
  entry(3, { before: { email: "l@example.com" }, after: { email: "luis@example.com" } }),
];

const versions: Record<string, object> = {
  2: {
    fullName: "Luis Gil",
    email: "l@example.com",
    phoneNumber: "+34 600 123 456",
    address: null,
    roleCode: "agent",
    status: "SUSPENDED",
    registeredBy: "ana",
  },
  3: {
    fullName: "Luis Gil",
    email: "luis@example.com",
    phoneNumber: "+34 600 123 456",
    address: null,
    status: "ACTIVE",
  },
  4: {},
};

beforeEach(() => {
  backend.user = { username: "jefa", roleCode: "admin", roleName: "admin", permissions: [] };
  users.sent = [];
  users.all = [sampleUser("luis", { version: 6, saleCredits: 0 }), sampleUser("jefa", { roleCode: "admin" })];
  server.use(
    http.get("/api/users/luis/history", () =>
      HttpResponse.json({
        content: entries,
        page: 0,
        size: 25,
        totalElements: entries.length,
        totalPages: 1,
      }),
    ),
    http.get("/api/users/luis/history/:version", ({ params }) =>
      HttpResponse.json({ version: Number(params.version), content: versions[String(params.version)] }),
    ),
  );
});

async function openHistory() {
  const rendered = renderPage("/users/luis/edit");
  await screen.findByLabelText(/Nombre completo/);
  await rendered.user.click(screen.getByRole("button", { name: "Cambios" }));
  const dialog = await screen.findByRole("dialog", { name: /Historial de/ });
  const rows = await within(dialog).findAllByRole("listitem");
  return { ...rendered, rows };
}

const restoreIn = (row: HTMLElement | undefined) =>
  within(row as HTMLElement).getByRole("button", { name: "Restaurar esta versión" });

describe("an earlier version of a user", () => {
  test("goes into the form, and is saved over the version that was read", async () => {
    const { user, rows } = await openHistory();
    // A note makes no version.
    expect(within(rows[0] as HTMLElement).queryByRole("button")).toBeNull();
    await user.click(restoreIn(rows[2]));
    const name = await screen.findByLabelText(/Nombre completo/);
    await waitFor(() => expect(name).toHaveValue("Luis Gil"));
    expect(
      await screen.findByText(/El formulario tiene los datos de la versión 3, con su rol/),
    ).toBeVisible();
    expect(users.sent).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]).toMatchObject({
      path: "PUT /api/users/luis",
      version: '"6"',
      body: { fullName: "Luis Gil", email: "luis@example.com", roleCode: "app", expirationDate: null },
    });
  });

  test("is there of before the recorded changes, too", async () => {
    const { user, rows } = await openHistory();
    expect(within(rows[3] as HTMLElement).getByText("Antes de los cambios registrados")).toBeVisible();
    await user.click(restoreIn(rows[3]));
    await waitFor(() => expect(screen.getByLabelText(/Correo electrónico/)).toHaveValue("l@example.com"));
    expect(screen.getByRole("combobox", { name: /Estado/ })).toHaveValue("Suspendido");
  });

  test("has the role and the agent, which an admin saves with it", async () => {
    const { user, rows } = await openHistory();
    await user.click(restoreIn(rows[3]));
    expect(await screen.findByText(/versión 2, con su rol y «Registrado por»/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]).toMatchObject({ body: { roleCode: "agent", registeredBy: "ana" } });
  });

  test("gives an agent no status, role and agent that only admins give", async () => {
    backend.user = {
      username: "ana",
      roleCode: "agent",
      roleName: "agent",
      permissions: ["USER_READ", "USER_UPDATE"],
    };
    const { user, rows } = await openHistory();
    await user.click(restoreIn(rows[3]));
    await waitFor(() => expect(screen.getByLabelText(/Correo electrónico/)).toHaveValue("l@example.com"));
    expect(screen.getByRole("combobox", { name: /Estado/ })).toHaveValue("Activo");
    expect(screen.getByRole("combobox", { name: /Rol/ })).toHaveValue("Usuario");
    expect(await screen.findByText(/El rol, el vencimiento y «Registrado por» no cambian/)).toBeVisible();
  });

  test("says where nothing differs, and asks before typed text is lost", async () => {
    const { user, rows } = await openHistory();
    await user.click(restoreIn(rows[1]));
    expect(await screen.findByText("El formulario ya tiene los datos de la versión 4.")).toBeVisible();
    await user.type(screen.getByLabelText(/Nombre completo/), " Gil");
    await user.click(screen.getByRole("button", { name: "Cambios" }));
    const again = await within(await screen.findByRole("dialog", { name: /Historial de/ })).findAllByRole(
      "listitem",
    );
    await user.click(restoreIn(again[2]));
    expect(await screen.findByRole("dialog", { name: "¿Sustituir lo que has escrito?" })).toBeVisible();
    expect(screen.getByLabelText(/Nombre completo/)).toHaveValue("Persona luis Gil");
  });

  test("that cannot be read is said so", async () => {
    server.use(
      http.get("/api/users/luis/history/:version", () =>
        problem(404, { code: "NOT_FOUND", message: "Esa versión no existe" }),
      ),
    );
    const { user, rows } = await openHistory();
    await user.click(restoreIn(rows[2]));
    expect(await screen.findByText("No se pudo leer esa versión")).toBeVisible();
  });
});
