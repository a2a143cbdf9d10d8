// Seasons and episodes one after the other, by keyboard: another one, a duplicate, and what a crash leaves behind.
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, test } from "vitest";
import { localDraft } from "../../../forms/localDraft";
import { backend, sent } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { episodesPage as page, serveSeries } from "../../../testing/series";

beforeEach(serveSeries);

type User = ReturnType<typeof renderPage>["user"];

const seasonDialog = async (name = "Añadir temporada") => within(await screen.findByRole("dialog", { name }));
const stored = (of: string) => localDraft("ana", `${page}#season ${of}`);
const draftNotice = () => screen.findByText(/^Tenías cambios sin guardar/);

function losePage() {
  const kept = { ...localStorage };
  cleanup();
  for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
}

async function press(user: User, name: string) {
  (await screen.findByRole("button", { name })).focus();
  await user.keyboard("{Enter}");
}

describe("a season", () => {
  const list = `${page}?tab=seasons`;

  test("that was being written survives a crash, is proposed once, and is created from its draft", async () => {
    const first = renderPage(list);
    await press(first.user, "Añadir temporada");
    await first.user.type(await (await seasonDialog()).findByLabelText(/^Título/), "Final");
    await waitFor(() => expect(stored("new")?.values.title).toBe("Final"));
    losePage();
    const { user } = renderPage(list);
    await press(user, "Añadir temporada");
    await draftNotice();
    const dialog = await seasonDialog();
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("");
    await press(user, "Recuperar");
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("Final");
    dialog.getByLabelText(/^Título/).focus();
    await user.keyboard("{Enter}");
    expect(await screen.findByText("Se creó «Temporada 4»")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored("new")).toBeUndefined();
  });

  test("whose dialog is closed on purpose leaves no draft", async () => {
    const { user } = renderPage(list);
    await press(user, "Editar «Temporada 3»");
    const dialog = await seasonDialog("Editar la temporada 3");
    await user.type(await dialog.findByLabelText(/^Título/), " de todos");
    await waitFor(() => expect(stored("3")?.values.title).toBe("La vuelta de todos"));
    await user.keyboard("{Escape}");
    await press(user, "Salir sin guardar");
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(stored("3")).toBeUndefined();
  });

  test("follows another in the same dialog, with the next number and the focus in its first field", async () => {
    const { user } = renderPage(list);
    await press(user, "Añadir temporada");
    await user.type(await (await seasonDialog()).findByLabelText(/^Título/), "Cuarta");
    await press(user, "Guardar y crear otro");
    expect(await screen.findByText("Se creó «Temporada 4»")).toBeVisible();
    const number = await (await seasonDialog()).findByLabelText(/^Número/);
    await waitFor(() => expect(number).toHaveFocus());
    expect(number).toHaveValue("5");
    await user.tab();
    await user.keyboard("Quinta{Enter}");
    expect(await screen.findByText("Se creó «Temporada 5»")).toBeVisible();
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(backend.bodies).toMatchObject([
      { seasonNumber: 4, title: "Cuarta" },
      { seasonNumber: 5, title: "Quinta" },
    ]);
  });

  test("that is duplicated begins with everything but the number", async () => {
    const { user } = renderPage(list);
    await press(user, "Editar «Temporada 3»");
    await seasonDialog("Editar la temporada 3");
    await press(user, "Duplicar");
    const dialog = await seasonDialog();
    expect(await dialog.findByLabelText(/^Número/)).toHaveValue("4");
    expect(dialog.getByLabelText(/^Título/)).toHaveValue("La vuelta");
    await user.click(dialog.getByRole("button", { name: "Añadir temporada" }));
    expect(await screen.findByText("Se creó «Temporada 4»")).toBeVisible();
    expect(sent("PUT")).toEqual([]);
  });
});

describe("an episode", () => {
  async function addLink(user: User, url: string) {
    await user.click(screen.getByRole("button", { name: "Añadir enlace" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Añadir enlace" }));
    await user.type(dialog.getByLabelText(/^URL/), url);
    await user.click(dialog.getByRole("combobox", { name: /^Idiomas de audio/ }));
    await user.click(await screen.findByRole("option", { name: "Español" }));
    await user.click(dialog.getByRole("button", { name: "Añadir" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  }

  test("follows another with the next number of its season, an empty form, and the focus in its first field", async () => {
    const { user } = renderPage(`${page}?new=1&season=1`);
    await press(user, "Llenar formulario manualmente");
    for (const number of [3, 4]) {
      const title = await screen.findByLabelText(/^Título/);
      await waitFor(() => expect(screen.getByLabelText(/^Episodio/)).toHaveValue(String(number)));
      expect(title).toHaveValue("");
      expect(screen.getByLabelText(/^Temporada/)).toHaveValue("1");
      if (number === 4) await waitFor(() => expect(title).toHaveFocus());
      await user.type(title, `Parte ${number}`);
      await user.type(screen.getByLabelText(/^Duración/), "50");
      await addLink(user, `https://cdn.example.com/part-${number}.m3u8`);
      await press(user, "Guardar y crear otro");
      expect(await screen.findByText(`Se creó «S1E${number}: Parte ${number}»`)).toBeVisible();
    }
    await waitFor(() => expect(screen.getByLabelText(/^Episodio/)).toHaveValue("5"));
    expect(sent("POST /api/tv-shows/7/episodes")).toHaveLength(2);
  });

  test("that is duplicated comes after the last of its season, with links of its own and no IMDb id", async () => {
    Object.assign(backend.tables.episodes?.[0] ?? {}, { imdbId: "tt0000001" });
    const { user, address, router } = renderPage(`${page}?episode=1`);
    await screen.findByDisplayValue("El Camión");
    await press(user, "Duplicar");
    expect(await screen.findByRole("heading", { level: 1, name: "Crear Nuevo Episodio" })).toBeVisible();
    expect(await screen.findByDisplayValue("El Camión")).toBeVisible();
    expect(screen.getByLabelText(/^Episodio/)).toHaveValue("3");
    await user.click(screen.getByRole("button", { name: "Crear Episodio" }));
    expect(await screen.findByText("Se creó «S1E3: El Camión»")).toBeVisible();
    await waitFor(() => expect(address().replace(/\?$/, "")).toBe(page));
    expect(router.state.location.state).toBeNull();
    const copy = backend.bodies.at(-1) as { imdbId?: string; links: { id: string }[] };
    expect(copy.imdbId ?? null).toBeNull();
    const original = backend.tables.episodes?.[0] as unknown as typeof copy | undefined;
    expect(copy.links).toHaveLength(1);
    expect(copy.links[0]?.id).not.toBe(original?.links[0]?.id);
  });
});
