// Resetting another user's password: who may, generated and shown once, or typed by the rules of their role.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem } from "../../testing/backend";
import { expectLeavingConfirms } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { sampleUser, users } from "../../testing/users";
import { allowedWith } from "./user";

const agentMay = ["USER_READ", "USER_CREATE", "USER_UPDATE", "CREDIT_HISTORY_READ"];

function be(roleCode: string, permissions: string[] = [], username = "jefa") {
  backend.user = { username, roleCode, roleName: roleCode, permissions };
}

beforeEach(() => {
  be("admin");
  users.sent = [];
  users.all = [sampleUser("luis")];
});

test("agents reset app users, admins all users but superadmins, no user their own", () => {
  const may = (roleCode: string, role: string, username = "luis", status = "ACTIVE") =>
    allowedWith(
      { username: "jefa", roleCode, roleName: roleCode, permissions: agentMay } as never,
      { username, role: { code: role, name: role }, status } as never,
    ).password;
  const roles = ["app", "agent", "contentManager", "admin", "superadmin"];
  expect(roles.filter((role) => may("superadmin", role))).toEqual(roles);
  expect(roles.filter((role) => may("admin", role))).toEqual(roles.slice(0, 4));
  expect(roles.filter((role) => may("agent", role))).toEqual(["app"]);
  expect(roles.some((role) => may("contentManager", role))).toBe(false);
  expect(may("admin", "admin", "JEFA")).toBe(false);
  expect(may("agent", "app", "luis", "SUSPENDED")).toBe(false);
  expect(may("admin", "app", "luis", "SUSPENDED")).toBe(true);
});

type User = ReturnType<typeof renderPage>["user"];

async function open(user: User) {
  await user.click(await screen.findByRole("button", { name: "Más acciones para «Persona luis»" }));
  await user.click(
    await screen.findByRole("menuitem", { name: "Restablecer la contraseña de «Persona luis»" }),
  );
  return within(await screen.findByRole("dialog", { name: "Restablecer la contraseña de «Persona luis»" }));
}

const reset = () => screen.getByRole("button", { name: "Restablecer" });

describe("generated", () => {
  test("is shown once, to be copied, and requested once", async () => {
    const { user } = renderPage("/users");
    const dialog = await open(user);
    expect(dialog.getByText(/todas sus sesiones se cerrarán/)).toBeVisible();
    expect(dialog.getByText(/Ocho cifras/)).toBeVisible();
    await user.dblClick(reset());
    const shown = await dialog.findByLabelText("Contraseña nueva de Persona luis");
    expect(shown).toHaveValue("40718263");
    expect(dialog.getByText(/Solo se muestra ahora/)).toBeVisible();
    expect(users.sent).toMatchObject([{ path: "POST /api/users/luis/password", body: {} }]);
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    expect(await navigator.clipboard.readText()).toBe("40718263");
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByDisplayValue("40718263")).not.toBeInTheDocument());
  });

  test("does not get lost: closing waits for it, and asks until it was copied", async () => {
    let answer = () => {};
    server.use(
      http.post("/api/users/luis/password", async () => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return HttpResponse.json({ password: "40718263" });
      }),
    );
    const { user } = renderPage("/users");
    const dialog = await open(user);
    await user.click(reset());
    await user.click(dialog.getByRole("button", { name: "Cancelar" }));
    answer();
    expect(await dialog.findByDisplayValue("40718263")).toBeVisible();
    await user.keyboard("{Escape}");
    await user.click(await screen.findByRole("button", { name: "Volver a la contraseña" }));
    await user.click(dialog.getByRole("button", { name: "Copiar" }));
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByDisplayValue("40718263")).not.toBeInTheDocument());
  });

  test("is not lost by leaving the page, and its button asks as well", async () => {
    const page = renderPage("/users");
    const { user } = page;
    const dialog = await open(user);
    await user.click(reset());
    await dialog.findByDisplayValue("40718263");
    const question = { title: "¿Cerrar sin copiar la contraseña?", stay: "Volver a la contraseña" };
    await expectLeavingConfirms(page, question);
    await user.click(dialog.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Cerrar sin copiar" }));
    await waitFor(() => expect(screen.queryByDisplayValue("40718263")).not.toBeInTheDocument());
  });

  test("a refusal is shown in the dialog", async () => {
    server.use(http.post("/api/users/luis/password", () => problem(403, { message: "No tienes permiso." })));
    const { user } = renderPage("/users");
    const dialog = await open(user);
    await user.click(reset());
    expect(await dialog.findByText("No tienes permiso.")).toBeVisible();
    expect(dialog.getByText("No se pudo restablecer la contraseña")).toBeVisible();
  });

  test("that the server did not confirm is not shown as unchanged", async () => {
    server.use(http.post("/api/users/luis/password", () => HttpResponse.error()));
    const { user } = renderPage("/users");
    const dialog = await open(user);
    await user.click(reset());
    expect(await dialog.findByText("No se sabe si la contraseña se restableció")).toBeVisible();
    expect(dialog.queryByText("No se pudo restablecer la contraseña")).not.toBeInTheDocument();
  });
});

describe("typed", () => {
  test("is validated by the rules of the role, then sent unchanged", async () => {
    const { user } = renderPage("/users");
    const dialog = await open(user);
    await user.click(dialog.getByRole("radio", { name: "Escribirla" }));
    expect(dialog.getByText("Al menos 4 caracteres.")).toBeVisible();
    await user.click(reset());
    expect(users.sent).toEqual([]);
    const field = dialog.getByLabelText(/^Contraseña/);
    await user.type(field, "258");
    await user.click(reset());
    expect(await dialog.findByText("Debe tener al menos 4 caracteres")).toBeVisible();
    expect(users.sent).toEqual([]);
    await user.type(field, "0 ");
    await user.click(reset());
    expect(await screen.findByText(/Se restableció la contraseña de «Persona luis»/)).toBeVisible();
    expect(users.sent).toMatchObject([
      { path: "POST /api/users/luis/password", body: { password: "2580 " } },
    ]);
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("of staff needs more", async () => {
    users.all = [sampleUser("luis", { roleCode: "agent" })];
    const { user } = renderPage("/users");
    const dialog = await open(user);
    expect(dialog.getByText(/Letras y números/)).toBeVisible();
    await user.click(dialog.getByRole("radio", { name: "Escribirla" }));
    await user.type(dialog.getByLabelText(/^Contraseña/), "abcdefgh");
    await user.click(reset());
    expect(await dialog.findByText(/Usa al menos 8 caracteres, con una mayúscula/)).toBeVisible();
    expect(users.sent).toEqual([]);
  });
});

test("the edit page says who changed it last, and resets it", async () => {
  const { user } = renderPage("/users/luis/edit");
  expect(await screen.findByText("Sin cambios desde el registro.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Restablecer contraseña" }));
  await user.click(await screen.findByRole("button", { name: "Restablecer" }));
  expect(await screen.findByDisplayValue("40718263")).toBeVisible();
  await user.click(screen.getAllByRole("button", { name: "Cerrar" }).at(-1) as HTMLElement);
  expect(await screen.findByText(/La cambió jefa el/)).toBeVisible();
});

test("an agent's own agents keep theirs", async () => {
  be("agent", agentMay);
  users.all = [sampleUser("luis", { roleCode: "agent" })];
  renderPage("/users");
  // Few enough to stand in the row.
  await screen.findByRole("link", { name: "Historial de créditos de «Persona luis»" });
  expect(screen.queryByRole("button", { name: "Más acciones para «Persona luis»" })).toBeNull();
  expect(screen.queryByRole("button", { name: /contraseña/i })).toBeNull();
});
