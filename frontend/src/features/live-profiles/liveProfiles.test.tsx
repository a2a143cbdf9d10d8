// Live profiles: the list, the form, the address that is shown once, and how it is replaced and revoked.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { localDraft } from "../../forms/localDraft";
import { backend, problem, sent } from "../../testing/backend";
import { keys, sampleKey } from "../../testing/keys";
import { expectLeavingConfirms } from "../../testing/leaving";
import { addressOf, liveProfiles, sampleProfile } from "../../testing/liveProfiles";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import type { Profile } from "./queries";

const be = (roleCode: string) => {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions: ["MOVIE_READ"] };
};

beforeEach(() => {
  be("admin");
  keys.all = [sampleKey(1), sampleKey(2, { state: "REVOKED" })];
  liveProfiles.all = [
    sampleProfile(2, { username: null, keyId: 1, keyName: "Tele", categories: [1, 2], calls: 12_345 }),
    sampleProfile(1, { state: "REVOKED", lastUsedDate: "2026-11-20T10:15:00Z" }),
  ];
});

const rows = async () => {
  await screen.findByText(/^Mostrando/);
  return within(screen.getByRole("table", { name: "Perfiles de TV en directo" }))
    .getAllByRole("row")
    .slice(1) as HTMLElement[];
};

test("a row says for whom a profile is, what it has, and whether its address works and is used", async () => {
  renderPage("/settings/live-profiles");
  const [first, second] = await rows();
  const texts = (row?: HTMLElement) =>
    within(row as HTMLElement)
      .getAllByRole("cell")
      .slice(0, 7)
      .map((cell) => cell.textContent);
  expect(texts(first)).toEqual([
    "Perfil 2",
    "Clave «Tele»",
    "2 categorías",
    "pl_abcd2…",
    "Activo",
    "Sin usar",
    "12.345",
  ]);
  expect(texts(second).slice(1, 6)).toEqual(["Usuario ana", "Todas", "pl_abcd1…", "Revocado", "20 nov 2026"]);
});

test.each(["contentManager", "agent"])("a %s sees neither the page nor its menu entry", async (role) => {
  be(role);
  const { address } = renderPage("/settings/live-profiles");
  await waitFor(() => expect(address()).toBe("/"));
});

test("a profile needs an audience; its address is shown once, and closing it uncopied needs a confirmation", async () => {
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Nuevo perfil" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nuevo perfil" }));
  await user.type(await dialog.findByRole("textbox", { name: /^Nombre/ }), "Salón");
  await user.click(dialog.getByRole("radio", { name: "Una clave de API" }));
  await user.click(dialog.getByRole("button", { name: "Crear perfil" }));
  expect(await dialog.findByText("Este campo es obligatorio")).toBeVisible();
  expect(sent("POST /api/live")).toEqual([]);

  await user.click(dialog.getByRole("combobox", { name: /^Clave de API/ }));
  expect(screen.queryByRole("option", { name: /ck_abcd2/ })).toBeNull();
  await user.click(await screen.findByRole("option", { name: "Clave 1 (ck_abcd1…)" }));
  await user.click(dialog.getByRole("button", { name: "Crear perfil" }));
  const made = within(await screen.findByRole("dialog", { name: "Dirección de la lista" }));
  const shown = addressOf("pl_the-secret");
  expect(made.getByDisplayValue(shown)).toBeVisible();
  expect(backend.bodies.at(-1)).toEqual({
    name: "Salón",
    username: null,
    keyId: 1,
    categories: [],
    adultContent: false,
    onlyPlaying: false,
    order: "NUMBER",
    numbering: "OWN",
    guideDays: 7,
    callsPerMinute: 30,
  });
  await user.click(made.getByRole("button", { name: "Listo" }));
  const question = await screen.findByRole("dialog", { name: "¿Cerrar sin copiar la dirección?" });
  await user.click(within(question).getByRole("button", { name: "Volver a la dirección" }));
  await user.click(made.getByRole("button", { name: "Copiar la dirección" }));
  expect(await navigator.clipboard.readText()).toBe(shown);
  await user.click(made.getByRole("button", { name: "Listo" }));
  await waitFor(() => expect(screen.queryByDisplayValue(shown)).toBeNull());
});

/** Opens the second profile, types a name, and changes the profile behind the form. */
async function renamedMeanwhile(change: Partial<Profile>) {
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Perfil 2" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Editar «Perfil 2»" }));
  const name = await dialog.findByRole("textbox", { name: /^Nombre/ });
  await user.clear(name);
  await user.type(name, "Cocina");
  liveProfiles.all = liveProfiles.all.map((profile) =>
    profile.id === 2 ? { ...profile, ...change, version: 2 } : profile,
  );
  await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
  return { user, name };
}

const stored = () => liveProfiles.all.find(({ id }) => id === 2);

test("changes of another user in other fields are merged", async () => {
  await renamedMeanwhile({ guideDays: 3 });
  await waitFor(() => expect(screen.queryByRole("dialog", { name: /^Editar/ })).toBeNull());
  expect(stored()).toMatchObject({ name: "Cocina", guideDays: 3, keyId: 1, version: 3 });
});

test("where another user changed the same field, the user chooses; typed values are kept until then", async () => {
  const { user, name } = await renamedMeanwhile({ name: "Terraza", guideDays: 3, updatedBy: "eva" });
  const conflict = within(await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" }));
  expect(name).toHaveValue("Cocina");
  expect(stored()).toMatchObject({ name: "Terraza", version: 2 });
  await user.click(conflict.getByRole("radio", { name: "Lo de eva" }));
  await user.click(conflict.getByRole("button", { name: "Guardar lo elegido" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: /^Editar/ })).toBeNull());
  expect(stored()).toMatchObject({ name: "Terraza", guideDays: 3, version: 3 });
});

test("a profile that another user assigned to a subscriber shows the subscriber once that version is loaded", async () => {
  const { user } = await renamedMeanwhile({ name: "Terraza", username: "ana", keyId: null, keyName: null });
  const conflict = within(await screen.findByRole("dialog", { name: "Alguien lo cambió antes que tú" }));
  await user.click(conflict.getByRole("button", { name: "Descartar lo mío" }));
  const dialog = within(screen.getByRole("dialog", { name: /^Editar/ }));
  expect(dialog.getByRole("radio", { name: "Un usuario" })).toBeChecked();
  expect(dialog.getByRole("textbox", { name: /^Nombre/ })).toHaveValue("Terraza");
});

test("categories that could not be loaded are said to be so, and are loaded again", async () => {
  server.use(http.get("*/api/categories", () => problem(403, { message: "Hoy no." }), { once: true }));
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Perfil 2" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Editar «Perfil 2»" }));
  const field = await dialog.findByRole("combobox", { name: /^Categorías/ });
  await waitFor(() => expect(field).toHaveAccessibleDescription(/Error al cargar opciones/));
  server.use(
    http.get("*/api/categories", () =>
      HttpResponse.json({
        content: [1, 2, 3].map((id) => ({
          id,
          description: `Género ${id}`,
          englishDescription: `Genre ${id}`,
        })),
      }),
    ),
  );
  await user.click(dialog.getByRole("button", { name: "Reintentar" }));
  expect(await dialog.findByText("Género 2")).toBeVisible();
  expect(field).not.toHaveAccessibleDescription(/Error al cargar opciones/);
});

test("a changed form asks, as other dialogs do, before it is closed", async () => {
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Perfil 2" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Editar «Perfil 2»" }));
  await user.type(await dialog.findByRole("textbox", { name: /^Nombre/ }), "b{Escape}");
  const question = await screen.findByRole("dialog", { name: "¿Salir sin guardar?" });
  expect(question).toHaveTextContent("Se perderá lo que has escrito aquí.");
  await user.click(within(question).getByRole("button", { name: "Salir sin guardar" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
});

test("a changed form is not lost by leaving the page", async () => {
  const page = renderPage("/settings/live-profiles");
  await page.user.click(await screen.findByRole("button", { name: "Perfil 2" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Editar «Perfil 2»" }));
  const name = await dialog.findByRole("textbox", { name: /^Nombre/ });
  await page.user.type(name, "b");
  await expectLeavingConfirms(page);
  expect(name).toHaveValue("Perfil 2b");
});

test("an address that was not copied is not lost by leaving the page", async () => {
  const page = renderPage("/settings/live-profiles");
  const { user } = page;
  await user.click(await screen.findByRole("button", { name: "Cambiar la dirección de «Perfil 2»" }));
  const question = within(await screen.findByRole("dialog", { name: "Cambiar dirección" }));
  await user.click(question.getByRole("button", { name: "Cambiar dirección" }));
  await screen.findByRole("dialog", { name: "Dirección de la lista" });
  await expectLeavingConfirms(page, {
    title: "¿Cerrar sin copiar la dirección?",
    stay: "Volver a la dirección",
  });
  expect(screen.getByDisplayValue(/pl_another/)).toBeVisible();
});

test("a profile that is being created is not left before its address is shown", async () => {
  let answer = () => {};
  const made = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post("/api/live-profiles", async () => {
      await made;
      return HttpResponse.json(
        { ...sampleProfile(3), secret: "pl_late", address: addressOf("pl_late") },
        { status: 201 },
      );
    }),
  );
  const page = renderPage("/settings/live-profiles");
  const { user } = page;
  await user.click(await screen.findByRole("button", { name: "Nuevo perfil" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nuevo perfil" }));
  await user.type(await dialog.findByRole("textbox", { name: /^Nombre/ }), "Salón");
  await user.click(dialog.getByRole("radio", { name: "Una clave de API" }));
  await user.click(dialog.getByRole("combobox", { name: /^Clave de API/ }));
  await user.click(await screen.findByRole("option", { name: "Clave 1 (ck_abcd1…)" }));
  await user.click(dialog.getByRole("button", { name: "Crear perfil" }));
  await dialog.findByRole("button", { name: "Creando…" });
  await expectLeavingConfirms(page, {
    title: "¿Cerrar sin copiar la dirección?",
    stay: "Volver a la dirección",
  });
  await user.click(dialog.getByRole("button", { name: "Cancelar" }));
  answer();
  expect(await screen.findByDisplayValue(addressOf("pl_late"))).toBeVisible();
});

test("an address whose replacement the server did not confirm is not said to be unchanged", async () => {
  server.use(http.post("/api/live-profiles/2/rotate-secret", () => HttpResponse.error()));
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Cambiar la dirección de «Perfil 2»" }));
  const question = within(await screen.findByRole("dialog", { name: "Cambiar dirección" }));
  await user.click(question.getByRole("button", { name: "Cambiar dirección" }));
  expect(await screen.findByText("No se sabe si la dirección se cambió")).toBeVisible();
  expect(screen.queryByText("No se pudo cambiar la dirección")).not.toBeInTheDocument();
});

test("a profile that the server did not confirm is not said to be missing", async () => {
  server.use(http.post("/api/live-profiles", () => problem(502, {})));
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Nuevo perfil" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Nuevo perfil" }));
  await user.type(await dialog.findByRole("textbox", { name: /^Nombre/ }), "Salón");
  await user.click(dialog.getByRole("radio", { name: "Una clave de API" }));
  await user.click(dialog.getByRole("combobox", { name: /^Clave de API/ }));
  await user.click(await screen.findByRole("option", { name: "Clave 1 (ck_abcd1…)" }));
  await user.click(dialog.getByRole("button", { name: "Crear perfil" }));
  expect(await dialog.findByText("No se sabe si el perfil se creó")).toBeVisible();
  expect(dialog.queryByText("No se pudo crear")).not.toBeInTheDocument();
});

test("an address is replaced after a question that says what stops", async () => {
  const { user } = renderPage("/settings/live-profiles");
  await user.click(await screen.findByRole("button", { name: "Cambiar la dirección de «Perfil 2»" }));
  const question = within(await screen.findByRole("dialog", { name: "Cambiar dirección" }));
  await user.click(question.getByRole("button", { name: "Cambiar dirección" }));
  const made = within(await screen.findByRole("dialog", { name: "Dirección de la lista" }));
  expect(made.getByDisplayValue(addressOf("pl_another"))).toBeVisible();
  await user.click(made.getByRole("button", { name: "Copiar la dirección" }));
  await user.click(made.getByRole("button", { name: "Listo" }));
});

test("one address is changed at a time: each new one is shown, and a second press sends nothing", async () => {
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const rotated: string[] = [];
  server.use(
    http.post("/api/live-profiles/:id/rotate-secret", async ({ params }) => {
      rotated.push(String(params.id));
      await isAnswered;
      const secret = `pl_new${params.id}`;
      return HttpResponse.json({ ...sampleProfile(Number(params.id)), secret, address: addressOf(secret) });
    }),
  );
  const { user } = renderPage("/settings/live-profiles");
  const change = (id: number) =>
    screen.findByRole("button", { name: `Cambiar la dirección de «Perfil ${id}»` });
  const copy = async (secret: string) => {
    expect(await screen.findByDisplayValue(addressOf(secret))).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Copiar la dirección" }));
    await user.click(screen.getByRole("button", { name: "Listo" }));
  };
  await user.click(await change(2));
  const question = within(await screen.findByRole("dialog", { name: "Cambiar dirección" }));
  await user.click(question.getByRole("button", { name: "Cambiar dirección" }));
  // A revoked profile is not confirmed.
  await user.dblClick(await change(1));
  expect(rotated).toEqual(["2"]);
  expect(await change(1)).toHaveAttribute("aria-disabled", "true");
  answer();
  await copy("pl_new2");
  await waitFor(async () => expect(await change(1)).toHaveAttribute("aria-disabled", "false"));
  await user.dblClick(await change(1));
  await copy("pl_new1");
  expect(rotated).toEqual(["2", "1"]);
});

test("a revocation that fails is shown, also when another was confirmed meanwhile", async () => {
  liveProfiles.all = [sampleProfile(2), sampleProfile(1)];
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.post("/api/live-profiles/2/revoke", async () => {
      await isAnswered;
      return problem(409, { message: "Ahora no." });
    }),
  );
  const { user } = renderPage("/settings/live-profiles");
  for (const id of [2, 1]) {
    await user.click(await screen.findByRole("button", { name: `Más acciones para «Perfil ${id}»` }));
    await user.click(await screen.findByRole("menuitem", { name: `Revocar «Perfil ${id}»` }));
    const question = within(await screen.findByRole("dialog", { name: "Revocar perfil" }));
    await user.click(question.getByRole("button", { name: "Revocar" }));
  }
  expect(await screen.findByText("Se revocó «Perfil 1»")).toBeVisible();
  answer();
  expect(await screen.findByText("Ahora no.")).toBeVisible();
});

test("a profile is revoked after a question that says whose address stops, and a failure is shown", async () => {
  const { user } = renderPage("/settings/live-profiles");
  server.use(
    http.post(
      "/api/live-profiles/2/revoke",
      () => HttpResponse.json({ message: "Ahora no." }, { status: 409 }),
      {
        once: true,
      },
    ),
  );
  const revoke = async () => {
    await user.click(await screen.findByRole("button", { name: "Más acciones para «Perfil 2»" }));
    await user.click(await screen.findByRole("menuitem", { name: "Revocar «Perfil 2»" }));
    const question = within(await screen.findByRole("dialog", { name: "Revocar perfil" }));
    expect(
      question.getByText(/La dirección de «Perfil 2» \(Clave «Tele»\) dejará de funcionar/),
    ).toBeVisible();
    await user.click(question.getByRole("button", { name: "Revocar" }));
  };
  await revoke();
  expect(await screen.findByText("Ahora no.")).toBeVisible();
  await revoke();
  expect(await screen.findByText("Se revocó «Perfil 2»")).toBeVisible();
  await waitFor(async () =>
    expect(within((await rows())[0] as HTMLElement).getByText("Revocado")).toBeVisible(),
  );
});

test("a profile that was being written survives a crash, and none that was created is proposed again", async () => {
  const draft = () => localDraft("ana", "live-profiles new");
  const open = async () => {
    const { user } = renderPage("/settings/live-profiles");
    await user.click(await screen.findByRole("button", { name: "Nuevo perfil" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Nuevo perfil" }));
    return { user, dialog, name: await dialog.findByRole("textbox", { name: /^Nombre/ }) };
  };
  const first = await open();
  await first.user.type(first.name, "Salón");
  await first.user.click(first.dialog.getByRole("radio", { name: "Una clave de API" }));
  await first.user.click(first.dialog.getByRole("combobox", { name: /^Clave de API/ }));
  await first.user.click(await screen.findByRole("option", { name: "Clave 1 (ck_abcd1…)" }));
  await waitFor(() => expect(draft()?.values).toMatchObject({ name: "Salón", keyId: 1 }));
  const kept = { ...localStorage };
  cleanup();
  for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
  const { user, dialog, name } = await open();
  expect(dialog.getByText(/^Tenías cambios sin guardar/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Recuperar" }));
  expect(name).toHaveValue("Salón");
  await user.click(dialog.getByRole("button", { name: "Crear perfil" }));
  await screen.findByRole("dialog", { name: "Dirección de la lista" });
  expect(draft()).toBeUndefined();
  expect(JSON.stringify({ ...localStorage })).not.toContain("pl_the-secret");
});
