// Keys: the list, making one, which is shown once, and revoking.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend, problem, sent } from "../../testing/backend";
import { keys, sampleKey } from "../../testing/keys";
import { expectLeavingConfirms, losePage } from "../../testing/leaving";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const be = (roleCode: string) => {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions: ["MOVIE_READ"] };
};

beforeEach(() => {
  be("admin");
  keys.all = [
    sampleKey(2, {
      scopes: ["CATALOGUE_READ", "VIEWS_COUNT"],
      lastUsedDate: "2026-11-20T10:15:00Z",
      calls: 12_345,
    }),
    sampleKey(1, { state: "REVOKED", name: "Vieja" }),
  ];
});

const rows = async () => {
  await screen.findByText(/^Mostrando/);
  return within(screen.getByRole("table", { name: "Claves de API" }))
    .getAllByRole("row")
    .slice(1);
};

test("a row says what a key is for, what it may do, and whether and when it called", async () => {
  renderPage("/settings/keys");
  const cells = within((await rows())[0] as HTMLElement).getAllByRole("cell");
  expect(cells.slice(0, 7).map((cell) => cell.textContent)).toEqual([
    "Clave 2",
    "ck_abcd2…",
    "Leer el catálogo, Contar vistas",
    "Activa",
    "No caduca",
    "20 nov 2026",
    "12.345",
  ]);
  expect(within((await rows())[1] as HTMLElement).queryByRole("button", { name: /^Revocar/ })).toBeNull();
});

test("a key without a responsible user is flagged, and can be kept", async () => {
  keys.all = [sampleKey(3, { needsReview: true, createdBy: "luis" })];
  const { user } = renderPage("/settings/keys");
  expect(within((await rows())[0] as HTMLElement).getByText("Por revisar")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Ver Clave 3" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Clave 3" }));
  expect(await dialog.findByText(/luis ya no es un administrador activo/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Conservar la clave" }));
  await waitFor(() => expect(dialog.queryByText("Por revisar")).not.toBeInTheDocument());
  expect(dialog.getByText("Conservada por")).toBeVisible();
});

test.each(["contentManager", "agent"])("a %s sees neither the page nor its menu entry", async (role) => {
  be(role);
  const { address } = renderPage("/settings/keys");
  await waitFor(() => expect(address()).toBe("/"));
});

test("a new key is shown once, and is not closed uncopied without a question", async () => {
  const { user } = renderPage("/settings/keys");
  await user.click(await screen.findByRole("button", { name: "Nueva clave" }));
  const dialog = await screen.findByRole("dialog", { name: "Nueva clave" });
  await user.click(await within(dialog).findByRole("button", { name: "Crear clave" }));
  expect(await within(dialog).findAllByText(/requerid|obligatori|al menos/i)).not.toHaveLength(0);
  expect(sent("POST /api/integrator")).toEqual([]);

  await user.type(await within(dialog).findByRole("textbox", { name: /^Nombre/ }), "Televisión");
  await user.click(within(dialog).getByRole("checkbox", { name: "Leer el catálogo" }));
  await user.click(within(dialog).getByRole("checkbox", { name: "Contar vistas" }));
  await user.click(within(dialog).getByRole("button", { name: "Crear clave" }));

  const made = await screen.findByRole("dialog", { name: "Clave creada" });
  expect(within(made).getByDisplayValue("ck_the-whole-key")).toBeVisible();
  expect(backend.bodies.at(-1)).toEqual({
    name: "Televisión",
    scopes: ["CATALOGUE_READ", "VIEWS_COUNT"],
    expiresDate: null,
    callsPerMinute: 600,
  });
  await user.click(within(made).getByRole("button", { name: "Listo" }));
  const question = await screen.findByRole("dialog", { name: "¿Cerrar sin copiar la clave?" });
  await user.click(within(question).getByRole("button", { name: "Volver a la clave" }));
  await user.click(within(made).getByRole("button", { name: "Copiar la clave" }));
  expect(await navigator.clipboard.readText()).toBe("ck_the-whole-key");
  await user.click(within(made).getByRole("button", { name: "Listo" }));
  await waitFor(() => expect(screen.queryByDisplayValue("ck_the-whole-key")).toBeNull());
  expect(await screen.findByRole("button", { name: "Televisión" })).toBeVisible();
});

test("neither the form of a key nor a key that was not copied is lost by leaving the page", async () => {
  const page = renderPage("/settings/keys");
  const { user } = page;
  await user.click(await screen.findByRole("button", { name: "Nueva clave" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nueva clave" }));
  const name = await dialog.findByRole("textbox", { name: /^Nombre/ });
  await user.type(name, "Televisión");
  await expectLeavingConfirms(page);
  expect(name).toHaveValue("Televisión");

  await user.click(dialog.getByRole("checkbox", { name: "Leer el catálogo" }));
  await user.click(dialog.getByRole("button", { name: "Crear clave" }));
  const made = within(await screen.findByRole("dialog", { name: "Clave creada" }));
  await expectLeavingConfirms(page, { title: "¿Cerrar sin copiar la clave?", stay: "Volver a la clave" });
  await user.click(made.getByRole("button", { name: "Copiar la clave" }));
  await made.findByRole("button", { name: "Copiada" });
  await act(() => page.router.navigate("/settings/sessions"));
  await waitFor(() => expect(page.address()).toBe("/settings/sessions"));
});

test("the form of a key survives a crash, until the key is created", async () => {
  const open = async () => {
    const { user } = renderPage("/settings/keys");
    await user.click(await screen.findByRole("button", { name: "Nueva clave" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Nueva clave" }));
    return { user, dialog, name: await dialog.findByRole("textbox", { name: /^Nombre/ }) };
  };
  const first = await open();
  await first.user.type(first.name, "Tele del salón");
  await waitFor(() => expect(localDraft("ana", "keys new")?.values.name).toBe("Tele del salón"));
  losePage();
  const { user, dialog, name } = await open();
  await user.click(await dialog.findByRole("button", { name: "Recuperar" }));
  expect(name).toHaveValue("Tele del salón");
  await user.click(dialog.getByRole("checkbox", { name: "Leer el catálogo" }));
  await user.click(dialog.getByRole("button", { name: "Crear clave" }));
  await screen.findByRole("dialog", { name: "Clave creada" });
  expect(localDraft("ana", "keys new")).toBeUndefined();
});

test("what the server finds wrong is at its field, and nothing typed is lost", async () => {
  server.use(
    http.post("/api/integrator-keys", () =>
      problem(422, {
        code: "VALIDATION_FAILED",
        message: "Fecha pasada",
        errors: [
          { field: "expiresDate", code: "PAST_DATE", message: "La fecha ya ha pasado", arguments: {} },
        ],
      }),
    ),
  );
  const { user } = renderPage("/settings/keys");
  await user.click(await screen.findByRole("button", { name: "Nueva clave" }));
  const dialog = await screen.findByRole("dialog", { name: "Nueva clave" });
  await user.type(await within(dialog).findByRole("textbox", { name: /^Nombre/ }), "TV");
  await user.click(within(dialog).getByRole("checkbox", { name: "Leer el catálogo" }));
  await user.click(within(dialog).getByRole("button", { name: "Crear clave" }));
  expect(await within(dialog).findByText("La fecha ya ha pasado")).toBeVisible();
  expect(within(dialog).getByRole("textbox", { name: /^Nombre/ })).toHaveValue("TV");
});

test("a key that is being created is not left before it is shown", async () => {
  let answer = () => {};
  const made = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post("/api/integrator-keys", async () => {
      await made;
      return HttpResponse.json({ ...sampleKey(3), key: "ck_late" }, { status: 201 });
    }),
  );
  const page = renderPage("/settings/keys");
  const { user } = page;
  await user.click(await screen.findByRole("button", { name: "Nueva clave" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nueva clave" }));
  await user.type(await dialog.findByRole("textbox", { name: /^Nombre/ }), "TV");
  await user.click(dialog.getByRole("checkbox", { name: "Leer el catálogo" }));
  await user.click(dialog.getByRole("button", { name: "Crear clave" }));
  await dialog.findByRole("button", { name: "Creando…" });
  await expectLeavingConfirms(page, { title: "¿Cerrar sin copiar la clave?", stay: "Volver a la clave" });
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  answer();
  expect(await screen.findByDisplayValue("ck_late")).toBeVisible();
});

test("a key that the server did not confirm is not said to be missing", async () => {
  server.use(http.post("/api/integrator-keys", () => HttpResponse.error()));
  const { user } = renderPage("/settings/keys");
  await user.click(await screen.findByRole("button", { name: "Nueva clave" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nueva clave" }));
  await user.type(await dialog.findByRole("textbox", { name: /^Nombre/ }), "TV");
  await user.click(dialog.getByRole("checkbox", { name: "Leer el catálogo" }));
  await user.click(dialog.getByRole("button", { name: "Crear clave" }));
  expect(await dialog.findByText("No se sabe si la clave se creó")).toBeVisible();
  expect(dialog.queryByText("No se pudo crear")).not.toBeInTheDocument();
});

test("a key is looked at, with its calls by day", async () => {
  const { user } = renderPage("/settings/keys");
  await user.click(await screen.findByRole("button", { name: "Clave 2" }));
  const dialog = await screen.findByRole("dialog", { name: "Clave 2" });
  const table = await within(dialog).findByRole("table", { name: "Llamadas de los últimos 30 días" });
  expect(
    within(table)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["20 nov 2026", "1.234", "2"]);
});

test("a key is revoked after a question that names it, and a failure is shown", async () => {
  const { user } = renderPage("/settings/keys");
  const revoke = async () => {
    await user.click(await screen.findByRole("button", { name: "Revocar Clave 2" }));
    const question = await screen.findByRole("dialog", { name: "Revocar clave" });
    expect(question).toHaveTextContent("«Clave 2» dejará de funcionar");
    await user.click(within(question).getByRole("button", { name: "Revocar" }));
  };
  server.use(
    http.post(
      "/api/integrator-keys/2/revoke",
      () => HttpResponse.json({ message: "Ahora no." }, { status: 409 }),
      {
        once: true,
      },
    ),
  );
  await revoke();
  expect(await screen.findByText("Ahora no.")).toBeVisible();
  await revoke();
  expect(await screen.findByText("Se revocó «Clave 2»")).toBeVisible();
  await waitFor(async () =>
    expect(within((await rows())[0] as HTMLElement).getByText("Revocada")).toBeVisible(),
  );
});

test("a revocation that fails is shown, also when another was confirmed meanwhile", async () => {
  keys.all = [sampleKey(2), sampleKey(1)];
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post("/api/integrator-keys/2/revoke", async () => {
      await isAnswered;
      return problem(409, { message: "Ahora no." });
    }),
  );
  const { user } = renderPage("/settings/keys");
  for (const id of [2, 1]) {
    await user.click(await screen.findByRole("button", { name: `Revocar Clave ${id}` }));
    const question = within(await screen.findByRole("dialog", { name: "Revocar clave" }));
    await user.click(question.getByRole("button", { name: "Revocar" }));
  }
  expect(await screen.findByText("Se revocó «Clave 1»")).toBeVisible();
  answer();
  expect(await screen.findByText("Ahora no.")).toBeVisible();
});
