// The forms of users: what they ask by role, where they lead, and that nothing is lost or done twice.
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { violationsOf } from "../../forms/rules";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";
import { newUserRule } from "./password";

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "jefa", roleCode, roleName: roleCode, permissions };
}

beforeEach(() => {
  be("admin");
  users.sent = [];
  users.all = [sampleUser("luis", { version: 4 }), sampleUser("jefa", { roleCode: "admin" })];
});

describe("the rules of a new user", () => {
  const newUser = {
    username: "ana_1",
    fullName: "Ana Núñez",
    email: "ana@example.com",
    phoneNumber: "+34 (91) 123-45",
    password: "1234",
    roleCode: "app",
  };
  test.each<[object, string[]]>([
    [{}, []],
    [{ username: "an" }, ["username TOO_SHORT"]],
    [{ username: "a".repeat(51) }, ["username TOO_LONG"]],
    [{ username: "aña" }, ["username INVALID_FORMAT"]],
    [{ username: "a b c" }, ["username INVALID_FORMAT"]],
    [{ fullName: "A" }, ["fullName TOO_SHORT"]],
    [{ fullName: "A".repeat(101) }, ["fullName TOO_LONG"]],
    [{ email: "ana" }, ["email INVALID_FORMAT"]],
    [{ email: "ana@example com" }, ["email INVALID_FORMAT"]],
    [{ email: "ana@servidor" }, []],
    [{ phoneNumber: "1234567" }, ["phoneNumber TOO_SHORT"]],
    [{ phoneNumber: "1".repeat(21) }, ["phoneNumber TOO_LONG"]],
    [{ phoneNumber: "llámame ya" }, ["phoneNumber INVALID_FORMAT"]],
    [{ address: "x".repeat(256) }, ["address TOO_LONG"]],
    [{ comment: "x".repeat(1001) }, ["comment TOO_LONG"]],
    [{ password: "123" }, ["password TOO_SHORT"]],
    [{ password: "x".repeat(129) }, ["password TOO_LONG"]],
    [{ password: "1234", roleCode: "agent" }, ["password TOO_SHORT"]],
    [{ password: "12345678", roleCode: "agent" }, ["password WEAK_PASSWORD"]],
    [{ password: "abcdefgH", roleCode: "admin" }, ["password WEAK_PASSWORD"]],
    [{ password: "Ñandú123", roleCode: "contentManager" }, []],
    [{ password: undefined, roleCode: undefined }, ["password REQUIRED", "roleCode REQUIRED"]],
  ])("%j gives %j", (change, expected) => {
    const found = violationsOf(newUserRule, { ...newUser, ...change });
    expect(found.map(({ field, code }) => `${field} ${code}`)).toEqual(expected);
  });
});

async function fill(user: ReturnType<typeof renderPage>["user"], password = "1234") {
  await user.type(await screen.findByLabelText(/Nombre de usuario/), "ana_1");
  await user.type(screen.getByLabelText(/^Contraseña/), password);
  await user.type(screen.getByLabelText(/Nombre completo/), "Ana Núñez");
  await user.type(screen.getByLabelText(/Correo electrónico/), "ana@example.com");
  await user.type(screen.getByLabelText(/Teléfono/), "600 123 456");
}

const submit = () => screen.getByRole("button", { name: "Crear usuario" });
const roleField = () => screen.findByRole("combobox", { name: /Rol/ });

describe("creating", () => {
  test("several in a row by keyboard begins with an empty form each, and with another key", async () => {
    const { user, address } = renderPage("/users/create");
    await fill(user);
    screen.getByRole("button", { name: "Guardar y crear otro" }).focus();
    await user.keyboard("{Enter}");
    expect(await screen.findByText("Se creó «Ana Núñez»")).toBeVisible();
    await waitFor(() => expect(screen.getByLabelText(/Nombre completo/)).toHaveFocus());
    for (const label of [/Nombre completo/, /Nombre de usuario/, /^Contraseña/])
      expect(screen.getByLabelText(label)).toHaveValue("");
    expect(address()).toBe("/users/create");
    await user.keyboard("Eva Ruiz");
    await user.type(screen.getByLabelText(/Nombre de usuario/), "eva_1");
    await user.type(screen.getByLabelText(/^Contraseña/), "4321");
    await user.type(screen.getByLabelText(/Correo electrónico/), "eva@example.com");
    await user.type(screen.getByLabelText(/Teléfono/), "600 123 457{Enter}");
    await waitFor(() => expect(address()).toBe("/users?openCredits=eva_1"));
    expect(users.sent).toHaveLength(2);
    expect(users.sent[1]?.key).not.toBe(users.sent[0]?.key);
  });

  test("leads to the first credits of who can have some", async () => {
    const { user, address } = renderPage("/users/create");
    await fill(user, " 12 4 ");
    expect(await roleField()).toHaveValue("Usuario");
    await user.dblClick(submit());
    expect(await screen.findByRole("dialog", { name: "Gestión de Créditos" })).toBeVisible();
    expect(address()).toBe("/users?openCredits=ana_1");
    expect(users.sent).toHaveLength(1);
    expect(users.sent[0]?.key).toBeTruthy();
    // The spaces of a password are kept.
    expect(users.sent[0]?.body).toMatchObject({ username: "ana_1", password: " 12 4 ", roleCode: "app" });
  });

  test("of staff leads to the list; their password is validated by the rules of staff", async () => {
    const { user, address } = renderPage("/users/create");
    await fill(user);
    expect(screen.getByText("Al menos 4 caracteres.")).toBeVisible();
    await user.click(await roleField());
    await user.click(await screen.findByRole("option", { name: "Administrador" }));
    expect(screen.getByText(/Al menos 8 caracteres, con una mayúscula/)).toBeVisible();
    await user.click(submit());
    expect(await screen.findByText("Debe tener al menos 8 caracteres")).toBeVisible();
    const password = screen.getByLabelText(/^Contraseña/);
    await user.type(password, "5678");
    expect(await screen.findByText(/Usa al menos 8 caracteres, con una mayúscula/)).toBeVisible();
    await user.type(password, "aB");
    await user.click(submit());
    await waitFor(() => expect(address()).toBe("/users"));
    expect(users.sent[0]?.body).toMatchObject({ roleCode: "admin", password: "12345678aB" });
  });

  test("a name that exists already is shown at its field, and nothing typed is lost", async () => {
    server.use(
      http.post("/api/users", () =>
        problem(409, { code: "CONFLICT", message: "El nombre de usuario «ana_1» ya existe." }),
      ),
    );
    const { user } = renderPage("/users/create");
    await fill(user);
    await user.click(submit());
    expect(await screen.findByText("El nombre de usuario «ana_1» ya existe.")).toBeVisible();
    const username = screen.getByLabelText(/Nombre de usuario/);
    expect(username).toBeInvalid();
    await waitFor(() => expect(username).toHaveFocus());
    expect(screen.getByLabelText(/Nombre completo/)).toHaveValue("Ana Núñez");
    expect(screen.getByLabelText(/^Contraseña/)).toHaveValue("1234");
  });

  test("a request whose answer got lost is sent again under the same key", async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post("/api/users", ({ request }) => {
        keys.push(request.headers.get("idempotency-key"));
        if (keys.length === 1) return HttpResponse.error();
      }),
    );
    const { user, address } = renderPage("/users/create");
    await fill(user);
    await user.click(submit());
    expect(await screen.findByText("No se pudo guardar")).toBeVisible();
    await user.click(submit());
    await waitFor(() => expect(address()).toBe("/users?openCredits=ana_1"));
    expect(keys[1]).toBe(keys[0]);
  });

  test("shows the password to who asks", async () => {
    const { user } = renderPage("/users/create");
    const password = await screen.findByLabelText(/^Contraseña/);
    expect(password).toHaveAttribute("type", "password");
    await user.click(screen.getByRole("button", { name: "Mostrar la contraseña" }));
    expect(password).toHaveAttribute("type", "text");
  });

  test.each<[string, () => Response, string]>([
    ["do not come", () => problem(403, { message: "No." }), "Error al cargar opciones"],
    ["are none", () => HttpResponse.json([]), "No hay opciones disponibles"],
  ])("the field says when roles %s", async (_name, answer, text) => {
    server.use(http.get("/api/roles", answer));
    renderPage("/users/create");
    await waitFor(async () => expect(await roleField()).toHaveAttribute("placeholder", text));
  });

  test("needs the permission", async () => {
    be("agent", ["USER_READ"]);
    const { address } = renderPage("/users/create");
    await waitFor(() => expect(address()).toBe("/"));
  });
});

describe("editing", () => {
  test("sends what was changed over the version that was read, and returns", async () => {
    const { user, address } = renderPage("/users/luis/edit");
    const name = await screen.findByLabelText(/Nombre completo/);
    expect(screen.queryByRole("textbox", { name: /Contraseña/ })).not.toBeInTheDocument();
    expect(document.querySelector('input[name="password"]')).toBeNull();
    expect(screen.getByLabelText(/Nombre de usuario/)).toHaveAttribute("readonly");
    await user.clear(name);
    await user.type(name, "Luis Gil");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(address()).toBe("/users"));
    expect(users.sent).toMatchObject([
      {
        path: "PUT /api/users/luis",
        version: '"4"',
        body: {
          username: "luis",
          fullName: "Luis Gil",
          roleCode: "app",
          status: "ACTIVE",
          expirationDate: null,
        },
      },
    ]);
  });

  test("a user who was deleted since their page was read has no form", async () => {
    const { router } = renderPage("/users/luis");
    expect(await screen.findByRole("heading", { level: 1, name: "Persona luis" })).toBeVisible();
    users.all = users.all.filter(({ username }) => username !== "luis");
    await act(() => router.navigate("/users/luis/edit"));
    expect(await screen.findByText("Usuario no encontrado")).toBeVisible();
    expect(screen.queryByLabelText(/Nombre completo/)).not.toBeInTheDocument();
  });

  test("a user who was deleted meanwhile can be created anew, with another password", async () => {
    const { user, address, router } = renderPage("/users/luis/edit");
    const name = await screen.findByLabelText(/Nombre completo/);
    users.all = users.all.filter(({ username }) => username !== "luis");
    await user.type(name, " Gil");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await user.click(await screen.findByRole("button", { name: "Crear de nuevo" }));
    await waitFor(() => expect(address()).toBe("/users/create"));
    await screen.findByRole("heading", { level: 1, name: "Crear usuario" });
    expect(await screen.findByDisplayValue(/ Gil$/)).toBeVisible();
    expect(screen.getByLabelText(/Nombre de usuario/)).toHaveValue("luis");
    users.sent = [];
    await user.type(screen.getByLabelText(/^Contraseña/), "1234");
    await user.click(submit());
    await waitFor(() => expect(users.sent).toMatchObject([{ path: "POST /api/users" }]));
    expect(users.sent[0]?.body).toMatchObject({ username: "luis", password: "1234", roleCode: "app" });
    // The way back does not begin them once more.
    await waitFor(() => expect(address()).not.toBe("/users/create"));
    await act(() => router.navigate(-1));
    expect(address()).toBe("/users/luis/edit");
  });

  test("an expiration stays to the second unless another day is chosen", async () => {
    users.all = [sampleUser("luis", { expirationDate: "2027-03-15T08:20:30.123Z" })];
    const { user } = renderPage("/users/luis/edit");
    const date = await screen.findByRole("textbox", { name: /Vencimiento/ });
    expect(date).toHaveValue("15/03/2027");
    await user.type(screen.getByLabelText(/Dirección/), "Calle Mayor 1");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent[0]?.body.expirationDate).toBe("2027-03-15T08:20:30.123Z"));
  });

  test("an expiration has the day of the service, and one that was not touched is sent as it was", async () => {
    backend.user = { ...backend.user, timeZone: "Pacific/Kiritimati" } as typeof backend.user;
    users.all = [sampleUser("luis", { expirationDate: "2027-03-14T20:20:30.123Z" })];
    const { user } = renderPage("/users/luis/edit");
    const date = await screen.findByRole("textbox", { name: /Vencimiento/ });
    expect(date).toHaveValue("15/03/2027");
    await user.click(date);
    await user.tab();
    await user.type(screen.getByLabelText(/Dirección/), "Calle Mayor 1");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent[0]?.body.expirationDate).toBe("2027-03-14T20:20:30.123Z"));
  });

  test("a chosen day means its end, an emptied one never", async () => {
    users.all = [sampleUser("luis", { expirationDate: "2027-03-15T08:20:30Z" })];
    const { user } = renderPage("/users/luis/edit");
    const date = await screen.findByRole("textbox", { name: /Vencimiento/ });
    await user.clear(date);
    await user.type(date, "16/03/2027");
    await user.tab();
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    // The server makes it the end of the day in its zone.
    await waitFor(() => expect(users.sent[0]?.body.expirationDate).toBe("2027-03-16"));
  });

  test("an empty date grants nothing before the subscription has started; the switch does", async () => {
    users.all = [sampleUser("luis", { subscription: { state: "NOT_STARTED" } })];
    const { user } = renderPage("/users/luis/edit");
    expect(await screen.findByRole("textbox", { name: /Vencimiento/ })).toHaveAttribute(
      "placeholder",
      "Sin empezar",
    );
    await user.type(screen.getByLabelText(/Dirección/), "Calle Mayor 1");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]?.body).toMatchObject({
      expirationDate: null,
      subscription: { state: "NOT_STARTED" },
    });
  });

  test("a subscription without an end is granted by its switch", async () => {
    users.all = [sampleUser("luis", { subscription: { state: "NOT_STARTED" } })];
    const { user } = renderPage("/users/luis/edit");
    await screen.findByLabelText(/Nombre completo/);
    await user.click(await screen.findByRole("switch", { name: /No vence/ }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]?.body.subscription).toEqual({ state: "NO_EXPIRATION" });
  });

  test("the language of the messages is chosen and can be emptied", async () => {
    const { user } = renderPage("/users/luis/edit");
    await user.click(await screen.findByRole("combobox", { name: "Idioma" }));
    await user.click(await screen.findByRole("option", { name: "Inglés" }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]?.body.language).toBe("en");
    cleanup();
    users.all = [sampleUser("luis", { language: "es" })];
    const again = renderPage("/users/luis/edit");
    expect(await screen.findByRole("combobox", { name: "Idioma" })).toHaveValue("Español");
    await again.user.click(screen.getByLabelText("Vaciar Idioma"));
    await again.user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(2));
    expect(users.sent[1]?.body.language).toBeNull();
  });

  test("another user changed another field first: both changes are kept", async () => {
    const { user, address } = renderPage("/users/luis/edit");
    const name = await screen.findByLabelText(/Nombre completo/);
    await user.type(name, " Gil");
    users.all = [sampleUser("luis", { version: 5, phoneNumber: "699 999 999" })];
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    expect(
      await screen.findByText("Se conservaron también los cambios de otra persona en: Teléfono."),
    ).toBeVisible();
    await waitFor(() => expect(address()).toBe("/users"));
    expect(users.all[0]).toMatchObject({ fullName: "Persona luis Gil", phoneNumber: "699 999 999" });
    expect(users.sent.map(({ version }) => version)).toEqual(['"4"', '"5"']);
  });

  test("an agent sets neither role nor date, and sends no date", async () => {
    be("agent", ["USER_READ", "USER_UPDATE"]);
    const { user } = renderPage("/users/luis/edit");
    expect(await roleField()).toBeDisabled();
    expect(await screen.findByRole("textbox", { name: /Vencimiento/ })).toBeDisabled();
    expect(screen.getByRole("combobox", { name: /Estado/ })).toBeEnabled();
    await user.type(screen.getByLabelText(/Dirección/), "Calle Mayor 1");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]?.body).not.toHaveProperty("expirationDate");
  });

  test("an admin moves a customer to another agent, and reads first what that means", async () => {
    users.all.push(sampleUser("rosa_1", { roleCode: "agent", fullName: "Rosa Paz" }));
    users.all[0] = sampleUser("luis", { version: 4, registeredBy: "ana_1" });
    const { user } = renderPage("/users/luis/edit");
    const registrar = await screen.findByRole("combobox", { name: "Registrado por" });
    expect(registrar).toHaveValue("ana_1");
    await user.click(registrar);
    await user.click(await screen.findByRole("option", { name: "Rosa Paz (rosa_1)" }));
    expect(
      screen.getByText("El agente anterior deja de verlo; historial y créditos se conservan."),
    ).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]).toMatchObject({ version: '"4"', body: { registeredBy: "rosa_1" } });
  });

  test("an agent moves with its subtree, to another agent or to none", async () => {
    users.all[0] = sampleUser("luis", { roleCode: "agent", registeredBy: "ana_1" });
    const { user } = renderPage("/users/luis/edit");
    await user.click(await screen.findByRole("combobox", { name: "Registrado por" }));
    expect(screen.queryByRole("option", { name: /luis/ })).not.toBeInTheDocument();
    await user.click(await screen.findByRole("option", { name: "Nadie" }));
    expect(screen.getByText(/Se mueve con todos los que tiene por debajo/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]?.body.registeredBy).toBeNull();
  });

  test("agents cannot move users: the parent is not sent", async () => {
    be("agent", ["USER_READ", "USER_UPDATE"]);
    const { user } = renderPage("/users/luis/edit");
    await user.type(await screen.findByLabelText(/Dirección/), "Calle Mayor 1");
    expect(screen.queryByRole("combobox", { name: "Registrado por" })).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(users.sent).toHaveLength(1));
    expect(users.sent[0]?.body).not.toHaveProperty("registeredBy");
  });

  test("users cannot set their own role or status", async () => {
    renderPage("/users/jefa/edit");
    expect(await roleField()).toBeDisabled();
    expect(await screen.findByRole("combobox", { name: /Estado/ })).toBeDisabled();
  });

  test("who is not there is said so, with the way back", async () => {
    const { user, address } = renderPage("/users/nadie/edit");
    expect(await screen.findByText("Cargando usuario...")).toBeVisible();
    expect(await screen.findByText("Error al cargar el usuario")).toBeVisible();
    expect(screen.getByText("Usuario no encontrado")).toBeVisible();
    await user.click(screen.getByRole("link", { name: "Volver a Usuarios" }));
    await waitFor(() => expect(address()).toBe("/users"));
  });

  test("whom the caller does not manage cannot be edited by address either", async () => {
    users.all = [sampleUser("raiz", { roleCode: "superadmin" })];
    renderPage("/users/raiz/edit");
    expect(await screen.findByText("No tienes permiso para editar a este usuario.")).toBeVisible();
  });
});
