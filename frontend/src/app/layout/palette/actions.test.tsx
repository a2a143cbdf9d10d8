// What the palette does, by what the user may: creating and exporting, and what was opened last.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { rememberItem } from "../../../access/recent";
import { backend } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser } from "../../../testing/samples";
import { server } from "../../../testing/server";

beforeEach(() => localStorage.clear());

const be = (...permissions: string[]) => {
  backend.user = { ...sampleCurrentUser, permissions } as typeof backend.user;
};

async function openPalette() {
  const page = renderPage("/");
  await page.user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  const search = await screen.findByPlaceholderText(/^Ir a una página/);
  return { ...page, search };
}

const names = () =>
  within(screen.getByRole("dialog"))
    .getAllByRole("button")
    .map((button) => button.textContent ?? "");

test("each list with files has an export action, for users who may read the list", async () => {
  be("MOVIE_READ", "MOVIE_UPDATE", "ISSUES_READ", "TVCHANNEL_READ", "PLAYLIST_READ", "LIVE_PROFILE_READ");
  const { user, search } = await openPalette();
  await user.type(search, "exportar");
  await screen.findByRole("button", { name: /^Exportar Películas/ });
  expect(
    names()
      .filter((name) => name.startsWith("Exportar"))
      .sort(),
  ).toEqual(
    [
      "Canales de TV",
      "Enlaces",
      "Errores Reproducción",
      "Errores de reproducción por contenido",
      "Listas M3U",
      "Operaciones masivas",
      "Películas",
      "Perfiles de TV en directo",
      "Programación",
      "Revisión de guías",
    ].map((list) => `Exportar ${list}…`),
  );
});

test("lists that need two permissions, and those of admins, have an export action for users who may read them", async () => {
  // The dashboard counts over guides.
  server.use(
    http.get("/api/guide-health", () =>
      HttpResponse.json({ channels: 0, guides: [], without: [], day: { percent: 0 } }),
    ),
  );
  be("TVCHANNEL_READ", "TVGUIDE_READ", "MOVIE_UPDATE", "MOVIE_DELETE");
  const { user, search, address } = await openPalette();
  await user.type(search, "exportar");
  await screen.findByRole("button", { name: "Exportar Estado de las guías…" });
  for (const list of ["Claves de API", "Webhooks"])
    expect(screen.queryByRole("button", { name: `Exportar ${list}…` })).not.toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Exportar Posibles duplicados…" }));
  await waitFor(() => expect(address()).toBe("/content/duplicates"));
});

test("seasons and episodes of all shows have an export action for users who may read shows", async () => {
  be("TVSHOW_READ");
  const { user, search, address } = await openPalette();
  await user.type(search, "exportar");
  expect(await screen.findByRole("button", { name: "Exportar Temporadas…" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Exportar Episodios…" }));
  await waitFor(() => expect(address()).toBe("/content/episodes"));
});

test("admins export keys and webhooks", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin", permissions: [] } as typeof backend.user;
  const { user, search } = await openPalette();
  await user.type(search, "exportar");
  expect(await screen.findByRole("button", { name: "Exportar Claves de API…" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Exportar Webhooks…" })).toBeVisible();
});

test("a source of playlists is created from the palette by users with the permission", async () => {
  be("PLAYLIST_READ", "PLAYLIST_CREATE");
  const { user, search, address } = await openPalette();
  await user.type(search, "crear fuente");
  await screen.findByRole("button", { name: "Crear fuente de lista M3U" });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/content/playlists/create"));
});

test("what was opened last is shown only where the user still sees its list", async () => {
  be("MOVIE_READ", "TVSHOW_READ");
  const { username } = sampleCurrentUser;
  rememberItem(username, { of: "movies", name: "Dune", path: "/content/movies/2/edit" });
  rememberItem(username, { of: "users", name: "Luis", path: "/users/luis" });
  rememberItem(username, {
    of: "episodes",
    name: "El regreso",
    path: "/content/tv-shows/7/episodes?episode=4",
  });
  await openPalette();
  expect(await screen.findByRole("button", { name: /^Dune/ })).toBeVisible();
  expect(screen.getByRole("button", { name: /^El regreso/ })).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Luis/ })).not.toBeInTheDocument();
});
