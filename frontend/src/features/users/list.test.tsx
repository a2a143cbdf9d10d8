// The list of users: its columns, its requests, and its actions by role.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";
import { listQuery } from "./queries";
import { allowedWith, type User } from "./user";

const agentMay = ["USER_READ", "USER_CREATE", "USER_UPDATE", "CREDIT_HISTORY_READ"];

function be(roleCode: string, permissions: string[] = [], username = "jefa") {
  backend.user = { username, roleCode, roleName: roleCode, permissions };
}

beforeEach(() => {
  be("admin");
  users.sent = [];
  users.all = [];
});

const rowOf = async (name: string) => {
  const row = (await screen.findByText(name)).closest("tr");
  if (!row) throw new Error(`no row for ${name}`);
  return within(row);
};

describe("credits", () => {
  const known: [User["roleCode"], number, string][] = [
    ["app", 0, "red"],
    ["app", 1, "yellow"],
    ["app", 2, "green"],
    ["agent", 11, "red"],
    ["agent", 12, "yellow"],
    ["agent", 13, "green"],
  ];
  test.each(known)("%s with %i is %s", async (roleCode, count, tone) => {
    const credits = roleCode === "app" ? { credits: count } : { saleCredits: count, credits: 99 };
    users.all = [sampleUser("luis", { roleCode, ...credits })];
    renderPage("/users");
    const badge = (await rowOf("Persona luis")).getByText(String(count)).closest("[data-tone]");
    expect(badge).toHaveAttribute("data-tone", tone);
  });

  test("staff have none", async () => {
    users.all = [sampleUser("luis", { roleCode: "contentManager", credits: 5, saleCredits: 5 })];
    renderPage("/users");
    const row = await rowOf("Persona luis");
    expect(row.getByText("Sin valor")).toBeInTheDocument();
    expect(row.queryByText("5")).not.toBeInTheDocument();
  });
});

test("the file of the list has the credits of agents as well as those of customers", async () => {
  const keys = ["username", "fullName", "credits", "saleCredits", "signIns", "updatedDate"];
  server.use(
    http.get("/api/spreadsheets/users/columns", () =>
      HttpResponse.json(keys.map((key) => ({ key, heading: key }))),
    ),
  );
  const { user } = renderPage("/users");
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await dialog.findByRole("checkbox", { name: "saleCredits" });
  const link = dialog.getByRole("link", { name: "Descargar" }).getAttribute("href") ?? "";
  expect(new URL(link, "http://x").searchParams.get("columns")).toBe(
    "username,fullName,credits,saleCredits,signIns",
  );
});

test("a row says who, in which role, until when, how often and since when", async () => {
  users.all = [
    sampleUser("luis", { fullName: "Luis Pérez", signIns: 1234, status: "SUSPENDED" }),
    sampleUser("eva", { expirationDate: "2020-05-04T10:00:00Z" }),
    sampleUser("nueva", { subscription: { state: "NOT_STARTED" } }),
  ];
  renderPage("/users");
  const row = await rowOf("Luis Pérez");
  for (const text of ["luis", "Usuario", "No Vence", "1.234", "Suspendido", "15 ene 2026"])
    expect(row.getByText(text)).toBeVisible();
  expect((await rowOf("Persona eva")).getByText("4 may 2020")).toBeVisible();
  expect((await rowOf("Persona eva")).getByText(/^Venció hace/)).toBeVisible();
  const fresh = await rowOf("Persona nueva");
  expect(fresh.getByText("Sin empezar")).toBeVisible();
  expect(fresh.queryByText("No Vence")).not.toBeInTheDocument();
  expect(screen.getByRole("heading", { level: 1 }).parentElement).toHaveTextContent("Usuarios3 resultados");
});

test.each([
  ["/users?status=expired", "_page=0&_size=10&_sort=-id&expired=true"],
  [
    "/users?status=aboutToExpire&account=ACTIVE",
    "_page=0&_size=10&_sort=-id&aboutToExpire=true&status=ACTIVE",
  ],
  ["/users?roleCode=agent&page=2&search=ana", "_page=1&_size=10&_sort=-id&search=ana&roleCode=agent"],
  ["/users?status=nonsense", "_page=0&_size=10&_sort=-id"],
  [
    "/users?beneath=norte&expirationDateTo=2026-11-30",
    "_page=0&_size=10&_sort=-id&beneath=norte&expirationDateTo=2026-11-30",
  ],
])("%s requests %s", async (address, query) => {
  users.all = Array.from({ length: 12 }, (_, index) => sampleUser(`p${index}`, { roleCode: "agent" }));
  renderPage(address);
  await screen.findByText("Persona p0");
  expect(backend.requests).toContain(`GET /api/users?${query}`);
});

test("the users of an agent are a filter, whose agent is found by name", async () => {
  users.all = [sampleUser("norte", { roleCode: "agent" }), sampleUser("luis")];
  const { user, address } = renderPage("/users");
  await screen.findByText("Persona luis");
  await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
  await user.click(await screen.findByRole("menuitem", { name: "Registrado por" }));
  await user.type(await screen.findByRole("combobox", { name: "Registrado por" }), "nor");
  await user.click(await screen.findByRole("option", { name: "Persona norte (norte)" }));
  await waitFor(() => expect(address()).toBe("/users?registeredBy=norte"));
  await waitFor(() =>
    expect(backend.requests).toContain("GET /api/users?_page=0&_size=10&_sort=-id&registeredBy=norte"),
  );
});

test("the order by credits goes by what each row shows", () => {
  const state = { page: 0, size: 10, search: "", filters: {} };
  expect(listQuery({ ...state, sort: "-credits" })._sort).toBe("-credits,-saleCredits");
  expect(listQuery({ ...state, sort: "fullName" })._sort).toBe("+fullName");
  expect(listQuery({ ...state, sort: "" })._sort).toBeUndefined();
});

describe("available actions", () => {
  const all = { edit: true, credits: true, history: true, password: true, toggle: true, remove: true };
  const none = {
    edit: false,
    credits: false,
    history: false,
    password: false,
    toggle: false,
    remove: false,
  };
  const look = { ...none, history: true };
  const cases: [string, string[], string, User["roleCode"], object][] = [
    ["superadmin", [], "otra", "superadmin", { ...all, credits: false }],
    ["superadmin", [], "jefa", "superadmin", { ...look, edit: true }],
    ["admin", [], "otra", "superadmin", look],
    ["admin", [], "otra", "admin", { ...all, credits: false }],
    ["admin", [], "otra", "contentManager", { ...all, credits: false }],
    ["admin", [], "otra", "agent", all],
    ["admin", [], "otra", "app", all],
    ["admin", [], "JEFA", "admin", { ...look, edit: true }],
    ["agent", agentMay, "otra", "app", { ...all, remove: false }],
    ["agent", agentMay, "otra", "agent", { ...all, password: false, remove: false }],
    ["agent", agentMay, "otra", "admin", look],
    ["agent", agentMay, "jefa", "agent", look],
    ["contentManager", ["USER_READ"], "otra", "app", none],
  ];
  test.each(cases)("%s %j with %s, %s", (roleCode, permissions, username, role, expected) => {
    const caller = { username: "jefa", roleCode, roleName: "", permissions };
    expect(allowedWith(caller, sampleUser(username, { roleCode: role }))).toEqual(expected);
  });

  test("agents leave a suspended user as they are, and learn why", async () => {
    be("agent", agentMay);
    users.all = [sampleUser("luis", { status: "SUSPENDED" })];
    renderPage("/users");
    const row = await rowOf("Persona luis");
    expect(row.queryByRole("link", { name: "Editar «Persona luis»" })).not.toBeInTheDocument();
    expect(row.queryByRole("switch")).not.toBeInTheDocument();
    expect(row.getByTitle(/Solo un administrador puede cambiarlo/)).toHaveTextContent("Suspendido");
  });

  test("are in the row, the rarer ones in a menu", async () => {
    users.all = [sampleUser("luis"), sampleUser("jefa", { roleCode: "admin" })];
    const { user } = renderPage("/users");
    const row = await rowOf("Persona luis");
    expect(row.getByRole("link", { name: "Editar «Persona luis»" })).toBeVisible();
    expect(row.getByRole("button", { name: "Gestionar los créditos de «Persona luis»" })).toBeVisible();
    await user.click(row.getByRole("button", { name: "Más acciones para «Persona luis»" }));
    const items = await screen.findAllByRole("menuitem");
    expect(items.map((item) => item.textContent)).toEqual([
      "Historial",
      "Restablecer contraseña",
      "Eliminar",
    ]);
    expect(items[0]).toHaveAttribute("href", "/credits-history?username=luis");

    const own = await rowOf("Persona jefa");
    expect(own.queryByRole("button")).not.toBeInTheDocument();
    expect(own.getByRole("link", { name: "Historial de créditos de «Persona jefa»" })).toBeVisible();
  });

  test("a name leads to the page of the user, also of whom one may not edit", async () => {
    users.all = [sampleUser("luis", { roleCode: "superadmin" })];
    renderPage("/users");
    const row = await rowOf("Persona luis");
    expect(row.getByRole("link", { name: "Persona luis" })).toHaveAttribute("href", "/users/luis");
  });
});

async function press(user: ReturnType<typeof renderPage>["user"], verb: string) {
  await user.click(await screen.findByRole("button", { name: "Más acciones para «Persona luis»" }));
  await user.click(await screen.findByRole("menuitem", { name: `${verb} «Persona luis»` }));
}

async function flip(user: ReturnType<typeof renderPage>["user"]) {
  await user.click(await screen.findByRole("switch", { name: "«Persona luis» activo" }));
}

describe("deactivating and reactivating a user", () => {
  test("is optimistic, and can be undone from its toast", async () => {
    users.all = [sampleUser("luis", { credits: 1 })];
    const { user } = renderPage("/users");
    await flip(user);
    expect(await screen.findByText("Inactivo")).toBeVisible();
    expect(users.sent).toMatchObject([{ path: "PATCH /api/users/luis/toggle-status", body: {} }]);
    await user.click(await screen.findByRole("button", { name: "Deshacer" }));
    expect(await screen.findByText("Activo")).toBeVisible();
    await waitFor(() => expect(users.all[0]?.status).toBe("ACTIVE"));
  });

  test("of a customer without credits needs a confirmation, and has no undo that would be refused", async () => {
    users.all = [sampleUser("luis")];
    const { user } = renderPage("/users");
    await flip(user);
    const question = within(await screen.findByRole("dialog", { name: "¿Desactivar a «Persona luis»?" }));
    expect(question.getByText(/para volver a activar la cuenta hará falta al menos uno/)).toBeVisible();
    await user.click(question.getByRole("button", { name: "Cancelar" }));
    expect(users.sent).toEqual([]);
    await flip(user);
    await user.click(await screen.findByRole("button", { name: "Desactivar" }));
    expect(await screen.findByText("Se desactivó «Persona luis»")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Deshacer" })).not.toBeInTheDocument();
    expect(users.all[0]?.status).toBe("INACTIVE");
  });

  test("comes back with the reason", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    users.all = [sampleUser("luis", { credits: 1 })];
    server.use(
      http.patch("/api/users/luis/toggle-status", () => problem(403, { message: "No tienes permiso." })),
    );
    const { user } = renderPage("/users");
    await flip(user);
    expect(await screen.findByText("No tienes permiso.")).toBeVisible();
    expect((await rowOf("Persona luis")).getByText("Activo")).toBeVisible();
  });

  test("an inactive app user without credits is refused without a request to the server", async () => {
    users.all = [sampleUser("luis", { status: "INACTIVE" })];
    const { user } = renderPage("/users");
    await flip(user);
    expect(await screen.findByText("No se puede activar un usuario sin créditos.")).toBeVisible();
    expect(users.sent).toEqual([]);
  });

  test.each([
    ["with a credit", { status: "INACTIVE", credits: 1 }],
    ["suspended", { status: "SUSPENDED" }],
    ["an agent", { status: "INACTIVE", roleCode: "agent" }],
  ] as [string, Partial<User>][])("%s is activated", async (_name, change) => {
    users.all = [sampleUser("luis", change)];
    const { user } = renderPage("/users");
    await flip(user);
    expect(await screen.findByText("Activo")).toBeVisible();
    await waitFor(() => expect(users.sent).toHaveLength(1));
  });

  test("of a customer who changed meanwhile leaves their row as they are now", async () => {
    users.all = [sampleUser("luis", { version: 4, credits: 1 })];
    const { user } = renderPage("/users");
    const control = await screen.findByRole("switch", { name: "«Persona luis» activo" });
    users.all = [sampleUser("luis", { version: 5, credits: 37 })];
    await user.click(control);
    expect(await screen.findByText("Inactivo")).toBeVisible();
    expect((await rowOf("Persona luis")).getByText("37")).toBeVisible();
    expect(users.sent).toHaveLength(2);
  });

  test("after a conflict the list shows the stored state and a message", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    users.all = [sampleUser("luis", { version: 4, credits: 1 })];
    const { user } = renderPage("/users");
    const control = await screen.findByRole("switch", { name: "«Persona luis» activo" });
    users.all = [sampleUser("luis", { status: "SUSPENDED", version: 5 })];
    await user.click(control);
    expect(await screen.findByText(/Se cambió mientras tanto: ahora está como «Suspendido»/)).toBeVisible();
    expect((await rowOf("Persona luis")).getByText("Suspendido")).toBeVisible();
    expect(users.all[0]?.status).toBe("SUSPENDED");
  });

  test("a change of something else in between is no reason to refuse", async () => {
    users.all = [sampleUser("luis", { version: 4, credits: 1 })];
    const { user } = renderPage("/users");
    const control = await screen.findByRole("switch", { name: "«Persona luis» activo" });
    users.all = [sampleUser("luis", { credits: 3, version: 5 })];
    await user.click(control);
    expect(await screen.findByText("Inactivo")).toBeVisible();
    await waitFor(() => expect(users.sent.map(({ version }) => version)).toEqual(['"4"', '"5"']));
  });
});

test("deleting needs a confirmation with both names, and deletes the version that was read", async () => {
  users.all = [sampleUser("luis", { version: 7 })];
  const { user } = renderPage("/users");
  await press(user, "Eliminar");
  expect(
    await screen.findByText("Se eliminará la cuenta de Persona luis (luis). No se puede deshacer."),
  ).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Eliminar" }));
  expect(await screen.findByText("No hay datos disponibles.")).toBeVisible();
  expect(users.sent).toMatchObject([{ path: "DELETE /api/users/luis", version: '"7"' }]);
});
