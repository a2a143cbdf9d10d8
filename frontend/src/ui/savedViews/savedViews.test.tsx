// Saved views, through the list of movies and the menus.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { everyEntry } from "../../app/navigation";
import { backend, problem } from "../../testing/backend";
import { sampleReport, setReports } from "../../testing/issues";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { server } from "../../testing/server";
import { tabTo } from "../../testing/tabTo";
import type { StoredSavedView } from "./queries";
import { isShown, listsWithoutMenu, viewQuery } from "./query";

let views: StoredSavedView[] = [];

function stored(id: number, name: string, change: Partial<StoredSavedView> = {}): StoredSavedView {
  return {
    id,
    owner: "ana",
    isDefault: false,
    createdDate: "2026-11-20T10:00:00.000Z",
    updatedDate: "2026-11-20T10:00:00.000Z",
    list: "movies",
    name,
    query: "missing=ENGLISH_SYNOPSIS&size=25&sort=-year",
    hiddenColumns: null,
    sharedWith: null,
    ...change,
  };
}

beforeEach(() => {
  views = [];
  localStorage.clear();
  server.use(
    http.get("/api/saved-views", () => HttpResponse.json(views)),
    http.post("/api/saved-views", async ({ request }) => {
      const view = stored(views.length + 7, "", (await request.json()) as StoredSavedView);
      views = [...views, view];
      return HttpResponse.json(view, { status: 201 });
    }),
    http.put("/api/saved-views/:id", async ({ params, request }) => {
      const view = stored(Number(params.id), "", (await request.json()) as StoredSavedView);
      views = views.map((one) => (one.id === view.id ? view : one));
      return HttpResponse.json(view);
    }),
    http.put("/api/saved-views/:id/default", ({ params }) => {
      views = views.map((one) => ({ ...one, isDefault: one.id === Number(params.id) }));
      return new HttpResponse(null, { status: 204 });
    }),
    http.delete("/api/saved-views/:id", ({ params }) => {
      views = views.filter((one) => one.id !== Number(params.id));
      return new HttpResponse(null, { status: 204 });
    }),
  );
});

async function openViews(address = "/content/movies") {
  const page = renderPage(address);
  await screen.findByText(/^Mostrando/);
  await page.user.click(screen.getByRole("button", { name: "Vistas guardadas" }));
  const panel = await screen.findByRole("dialog", { name: "Vistas guardadas" });
  await within(panel).findByLabelText("Nombre de la vista");
  return { ...page, panel };
}

test("what the list shows is saved under a name, and comes back with one click", async () => {
  const { user, panel, address } = await openViews("/content/movies?active=true&sort=-year&page=2");
  await user.type(within(panel).getByLabelText("Nombre de la vista"), "Activas");
  await user.click(within(panel).getByRole("button", { name: "Guardar la vista actual" }));
  const view = await within(panel).findByRole("button", { name: "Activas" });
  expect(views[0]).toMatchObject({
    list: "movies",
    name: "Activas",
    query: "active=true&size=10&sort=-year",
    sharedWith: null,
  });
  expect(view).toHaveAttribute("aria-current", "true");
  expect(address()).toBe("/content/movies?active=true&sort=-year&page=2");

  await user.click(screen.getByRole("button", { name: /^Quitar el filtro/ }));
  await user.click(screen.getByRole("button", { name: "Vistas guardadas" }));
  await user.click(await screen.findByRole("button", { name: "Activas" }));
  expect(address()).toBe("/content/movies?active=true&size=10&sort=-year");
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Vistas guardadas" })).toBeNull());
});

test("a view is saved and opened by keyboard, and Escape closes the panel", async () => {
  const { user, address } = renderPage("/content/movies?active=true&sort=-year");
  await screen.findByText(/^Mostrando/);
  const button = screen.getByRole("button", { name: "Vistas guardadas" });
  const open = async () => {
    button.focus();
    await user.keyboard("{Enter}");
    return within(await screen.findByRole("dialog", { name: "Vistas guardadas" }));
  };
  const panel = await open();
  await tabTo(user, await panel.findByLabelText("Nombre de la vista"));
  await user.keyboard("Activas{Enter}");
  await panel.findByRole("button", { name: "Activas" });
  expect(views[0]).toMatchObject({ name: "Activas", query: "active=true&size=10&sort=-year" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Vistas guardadas" })).toBeNull());
  await waitFor(() => expect(button).toHaveFocus());
  const remove = screen.getByRole("button", { name: /^Quitar el filtro/ });
  remove.focus();
  await user.keyboard("{Enter}");
  const again = await open();
  await tabTo(user, await again.findByRole("button", { name: "Activas" }));
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/content/movies?active=true&size=10&sort=-year"));
});

test("a view without a name is not saved, and one's own of that name is replaced", async () => {
  views = [stored(3, "Sin sinopsis"), stored(4, "De otra", { owner: "eva", sharedWith: "contentManager" })];
  const { user, panel } = await openViews();
  await user.click(within(panel).getByRole("button", { name: "Guardar la vista actual" }));
  expect(within(panel).getByText("Escribe un nombre.")).toBeVisible();
  await user.type(within(panel).getByLabelText("Nombre de la vista"), "sin SINOPSIS");
  await user.click(within(panel).getByRole("button", { name: "Reemplazar «Sin sinopsis»" }));
  await waitFor(() => expect(views.map(({ name }) => name)).toEqual(["sin SINOPSIS", "De otra"]));
});

test("a view shared by another user shows its owner and cannot be changed; only admins choose with whom to share", async () => {
  views = [stored(4, "De otra", { owner: "eva", sharedWith: "contentManager" })];
  const { panel } = await openViews();
  expect(within(panel).getByText("De eva")).toBeVisible();
  expect(within(panel).queryByRole("button", { name: /^Eliminar/ })).toBeNull();
  expect(within(panel).queryByLabelText("Compartir con")).toBeNull();
});

test("an admin shares a view with a role", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin", permissions: [] };
  const { user, panel } = await openViews();
  await user.type(within(panel).getByLabelText("Nombre de la vista"), "Para agentes");
  await user.selectOptions(within(panel).getByLabelText("Compartir con"), "Agente");
  await user.click(within(panel).getByRole("button", { name: "Guardar la vista actual" }));
  expect(await within(panel).findByText("Compartida con el rol Agente")).toBeVisible();
  expect(views[0]?.sharedWith).toBe("agent");
  // Saved again under its name, it stays shared.
  await user.type(within(panel).getByLabelText("Nombre de la vista"), "Para AGENTES");
  expect(within(panel).getByLabelText("Compartir con")).toHaveDisplayValue("Agente");
  await user.click(within(panel).getByRole("button", { name: "Reemplazar «Para agentes»" }));
  await waitFor(() => expect(views[0]).toMatchObject({ name: "Para AGENTES", sharedWith: "agent" }));
});

test("a failure is shown at its field, and the name stays", async () => {
  server.use(
    http.post("/api/saved-views", () =>
      problem(422, {
        code: "VALIDATION_FAILED",
        errors: [{ field: "name", code: "DUPLICATE", message: "Ya existe." }],
      }),
    ),
  );
  const { user, panel } = await openViews();
  const name = within(panel).getByLabelText("Nombre de la vista");
  await user.type(name, "Una");
  await user.click(within(panel).getByRole("button", { name: "Guardar la vista actual" }));
  expect(await within(panel).findByText("Ya existe.")).toBeVisible();
  expect(name).toHaveValue("Una");
});

test("the menu opens the list with the view that is its default; deleting needs a confirmation", async () => {
  views = [stored(3, "Sin sinopsis")];
  const { user, panel } = await openViews();
  await user.click(within(panel).getByRole("button", { name: "Abrir la lista con «Sin sinopsis»" }));
  const star = within(panel).getByRole("button", { name: "Abrir la lista con «Sin sinopsis»" });
  await waitFor(() => expect(star).toHaveAttribute("aria-pressed", "true"));
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Contenidos" }));
  const entry = await screen.findByRole("menuitem", { name: "Películas" });
  await waitFor(() =>
    expect(entry).toHaveAttribute("href", "/content/movies?missing=ENGLISH_SYNOPSIS&size=25&sort=-year"),
  );

  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Vistas guardadas" }));
  await user.click(await screen.findByRole("button", { name: "Eliminar la vista «Sin sinopsis»" }));
  const question = await screen.findByRole("dialog", { name: "¿Eliminar la vista «Sin sinopsis»?" });
  await user.click(within(question).getByRole("button", { name: "Eliminar" }));
  await waitFor(() => expect(views).toEqual([]));
});

test("a failure is shown also after the list of views was closed", async () => {
  views = [stored(3, "Sin sinopsis")];
  const refused = () => problem(403, { code: "FORBIDDEN", message: "No tienes permiso." });
  let answer = () => {};
  server.use(
    http.delete("/api/saved-views/3", refused),
    http.put("/api/saved-views/3/default", async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return refused();
    }),
  );
  const { user, panel } = await openViews();
  await user.click(within(panel).getByRole("button", { name: "Abrir la lista con «Sin sinopsis»" }));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(panel).not.toBeInTheDocument());
  answer();
  expect(await screen.findByText("No se pudo cambiar la vista predeterminada")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Vistas guardadas" }));
  await user.click(await screen.findByRole("button", { name: "Eliminar la vista «Sin sinopsis»" }));
  const question = await screen.findByRole("dialog", { name: "¿Eliminar la vista «Sin sinopsis»?" });
  // A press outside of the panel closes it.
  await user.click(within(question).getByRole("button", { name: "Eliminar" }));
  expect(await screen.findByText("No se pudo eliminar la vista")).toBeVisible();
});

test("one's own view takes over what is shown, with one click", async () => {
  views = [stored(3, "Sin sinopsis", { isDefault: true })];
  const { user, panel } = await openViews("/content/movies?active=true");
  await user.click(within(panel).getByRole("button", { name: "Guardar la vista actual en «Sin sinopsis»" }));
  await waitFor(() => expect(views[0]?.query).toBe("active=true&size=10"));
  expect(views[0]).toMatchObject({ name: "Sin sinopsis", sharedWith: null });
  await waitFor(() =>
    expect(within(panel).getByRole("button", { name: "Sin sinopsis" })).toHaveAttribute("aria-current"),
  );
});

test("the menu opens the list with the columns of the default view, too", async () => {
  views = [
    stored(3, "Sin géneros", {
      isDefault: true,
      query: "active=true&size=25",
      hiddenColumns: ["genres", "views"],
    }),
  ];
  const { user } = renderPage("/");
  await user.click(await screen.findByRole("button", { name: "Contenidos" }));
  const entry = await screen.findByRole("menuitem", { name: "Películas" });
  await waitFor(() => expect(entry.getAttribute("href")).toContain("?"));
  await user.click(entry);
  await screen.findByText(/^Mostrando/);
  expect(screen.getByRole("columnheader", { name: "Año" })).toBeVisible();
  expect(screen.queryByRole("columnheader", { name: "Géneros" })).toBeNull();
});

test("each list is opened by a menu entry, or its views have no star", () => {
  const pages = import.meta.glob<string>("../../features/**/*.tsx", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const names = Object.values(pages)
    .filter((page) => page.includes("<ListScreen"))
    .flatMap((page) => [...page.matchAll(/name: "([\w-]+)",\s+size:/g)].map(([, name]) => name as string));
  expect(names.length).toBeGreaterThan(13);
  const inMenus = everyEntry.map(({ list }) => list);
  expect(names.filter((name) => !inMenus.includes(name)).sort()).toEqual([...listsWithoutMenu].sort());
});

test("the menu opens renewals with the view that is their default", async () => {
  backend.user = { ...sampleCurrentUser, permissions: [...sampleCurrentUser.permissions, "USER_UPDATE"] };
  views = [
    stored(3, "Los que vencieron", { isDefault: true, list: "renewals", query: "size=25&window=expired" }),
  ];
  const { user } = renderPage("/");
  await user.click(await screen.findByRole("button", { name: "Administración" }));
  const entry = await screen.findByRole("menuitem", { name: "Renovaciones" });
  await waitFor(() => expect(entry).toHaveAttribute("href", "/renewals?size=25&window=expired"));
});

test("a list that no menu opens has views without a star", async () => {
  setReports(sampleReport(31));
  views = [stored(3, "De canales", { list: "issue-groups", query: "contentType=TV&grouped=1" })];
  const { panel } = await openViews("/issues?grouped=1");
  expect(within(panel).getByRole("button", { name: "De canales" })).toBeVisible();
  expect(within(panel).queryByRole("button", { name: /^Abrir la lista con/ })).not.toBeInTheDocument();
});

test("a view is its parameters in any order, without the page", () => {
  expect(viewQuery("?sort=-year&page=3&active=true", 10)).toBe("active=true&size=10&sort=-year");
  expect(isShown("active=true&size=10", "?active=true&page=2", 10)).toBe(true);
  expect(isShown("active=true&size=25", "?active=true", 10)).toBe(false);
  expect(isShown("active=true", "?active=true", 50)).toBe(true);
  expect(isShown("active=true&size=10", "", 10)).toBe(false);
});
