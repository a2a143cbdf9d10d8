// The seasons of a show: their list, and the dialog of one.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../../testing/backend";
import { historyEntry, historyPage } from "../../../testing/history";
import { renderPage } from "../../../testing/render";
import { episodesPage as page, serveSeries } from "../../../testing/series";
import { server } from "../../../testing/server";

beforeEach(serveSeries);

describe("seasons", () => {
  test("are listed, toggled, and lead to their episodes", async () => {
    const { user, address } = renderPage(page);
    await user.click(await screen.findByRole("link", { name: "Temporadas" }));
    expect(await screen.findByText("La vuelta")).toBeVisible();
    await user.click(screen.getByRole("switch", { name: "«Temporada 3» activo" }));
    await waitFor(() => expect(sent("PATCH")).toEqual(["PATCH /api/seasons/3/status"]));
    await user.click(screen.getByRole("link", { name: "1 episodio" }));
    expect(await screen.findByText("S3E12: Regreso")).toBeVisible();
    expect(address()).toBe(`${page}?season=3`);
  });

  test("a new one is created in a dialog", async () => {
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Añadir temporada" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir temporada" }));
    expect(await dialog.findByLabelText(/^Número/)).toHaveValue("4");
    await user.type(dialog.getByLabelText(/^Título/), "Final");
    await user.click(dialog.getByRole("button", { name: "Añadir temporada" }));
    expect(await screen.findByText("Se creó «Temporada 4»")).toBeVisible();
    expect(backend.bodies).toContainEqual(
      expect.objectContaining({ tvShowId: 7, seasonNumber: 4, title: "Final", active: true }),
    );
  });

  test("going back confirms while a season is typed", async () => {
    const { user, router, address } = renderPage(page, { initialEntries: [page, `${page}?tab=seasons`] });
    await user.click(await screen.findByRole("button", { name: "Añadir temporada" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir temporada" }));
    await user.type(await dialog.findByLabelText(/^Título/), "Final");
    await act(() => router.navigate(-1));
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    expect(address()).toBe(`${page}?tab=seasons`);
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("Final");
    await user.keyboard("{Escape}");
    await user.click(await screen.findByRole("button", { name: "Seguir editando" }));
    await act(() => router.navigate(-1));
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(address()).toBe(page));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("one is edited with its version", async () => {
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Editar «Temporada 3»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar la temporada 3" }));
    await user.type(await dialog.findByLabelText(/^Título/), " de todos");
    await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByText("La vuelta de todos")).toBeVisible();
    expect(backend.tables.seasons?.[1]).toMatchObject({ version: 2 });
  });

  test("an earlier version of one comes out of its history into its form", async () => {
    Object.assign(backend.tables.seasons?.[1] ?? {}, { version: 2 });
    const entry = (version: number, more: Parameters<typeof historyEntry>[0]) =>
      historyEntry({ id: version, version, resource: "seasons", item: "3", ...more });
    server.use(
      http.get("/api/seasons/3/history", () =>
        HttpResponse.json(
          historyPage([
            entry(2, { before: { title: "El regreso" }, after: { title: "La vuelta" } }),
            entry(1, { action: "CREATED" }),
          ]),
        ),
      ),
      http.get("/api/seasons/3/history/1", () =>
        HttpResponse.json({
          version: 1,
          content: { tvShowId: 7, seasonNumber: 3, title: "El regreso", active: true },
        }),
      ),
    );
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Editar «Temporada 3»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar la temporada 3" }));
    await user.click(await dialog.findByRole("button", { name: "Historial" }));
    const name = "Historial de «Temporada 3»";
    const history = () => screen.findByRole("dialog", { name });
    // Also in the values of the first version, once they are there.
    const [replaced] = await within(await history()).findAllByText("El regreso");
    expect(replaced).toBeVisible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog", { name })).not.toBeInTheDocument());
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("La vuelta");
    await user.click(dialog.getByRole("button", { name: "Historial" }));
    await user.click(await within(await history()).findByRole("button", { name: "Restaurar esta versión" }));
    await waitFor(() => expect(dialog.getByLabelText(/^Título/)).toHaveValue("El regreso"));
    await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() =>
      expect(backend.tables.seasons?.[1]).toMatchObject({ title: "El regreso", version: 3 }),
    );
  });

  test("one that another user deleted meanwhile can be created again from the form", async () => {
    server.use(http.put("/api/seasons/3", () => problem(404, { code: "NOT_FOUND", message: "No existe." })));
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Editar «Temporada 3»" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Editar la temporada 3" }));
    await user.type(await dialog.findByLabelText(/^Título/), " de todos");
    await user.click(dialog.getByRole("button", { name: "Guardar cambios" }));
    const question = await screen.findByRole("dialog", { name: "Alguien lo ha eliminado" });
    expect(question).toHaveTextContent("«Temporada 3» ya no existe.");
    await user.click(within(question).getByRole("button", { name: "Crear de nuevo" }));
    expect(await screen.findByText("Se creó «Temporada 3»")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(backend.bodies.at(-1)).toMatchObject({
      tvShowId: 7,
      seasonNumber: 3,
      title: "La vuelta de todos",
    });
    expect(sent("POST /api/seasons")).toHaveLength(1);
  });

  test("one that has episodes stays, and the reason is shown", async () => {
    const message = "La temporada tiene 2 episodios.";
    server.use(http.delete("/api/seasons/:id", () => problem(409, { code: "IN_USE", message })));
    const { user } = renderPage(`${page}?tab=seasons`);
    await user.click(await screen.findByRole("button", { name: "Eliminar «Temporada 1»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText(message)).toBeVisible();
  });
});
