// Several playlist sources: "save and create another", and duplicates of existing ones.
import { act, screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { backend } from "../../testing/backend";
import { page, source } from "../../testing/playlists";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const sent: Record<string, unknown>[] = [];

function be(...permissions: string[]) {
  backend.user = { username: "ana", roleCode: "contentManager", roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("PLAYLIST_READ", "PLAYLIST_CREATE", "PLAYLIST_UPDATE");
  sent.length = 0;
  const stored = {
    ...source,
    url: "https://ana:clave@a.example/lista.m3u",
    radioCountry: "España",
    firstNumber: 40,
  };
  server.use(
    http.get("/api/playlist-sources", () => HttpResponse.json(page([stored]))),
    http.get("/api/playlist-sources/:id", ({ params }) =>
      HttpResponse.json({ ...stored, id: Number(params.id) }),
    ),
    http.get("/api/playlist-sources/:id/runs", () => HttpResponse.json(page([]))),
    http.post("/api/playlist-sources", async ({ request }) => {
      const body = (await request.json()) as Record<string, unknown>;
      sent.push(body);
      return HttpResponse.json({ ...source, ...body, id: 1 + sent.length }, { status: 201 });
    }),
  );
});

const title = () => screen.findByRole("textbox", { name: /^Título/ });

test("saving and creating another leaves an empty form with the focus, and a link to the first", async () => {
  const { user, address } = renderPage("/content/playlists/create");
  await user.type(await title(), "Proveedor sur");
  await user.click(screen.getByRole("button", { name: "Guardar y crear otro" }));
  expect(await screen.findByRole("link", { name: "Abrir" })).toHaveAttribute("href", "/content/playlists/2");
  expect(address()).toBe("/content/playlists/create");
  await waitFor(async () => expect(await title()).toHaveValue(""));
  await waitFor(async () => expect(await title()).toHaveFocus());
  await user.type(await title(), "Proveedor norte");
  await user.click(screen.getByRole("button", { name: "Crear fuente" }));
  await waitFor(() => expect(address()).toBe("/content/playlists/3"));
  expect(sent.map((body) => body.title)).toEqual(["Proveedor sur", "Proveedor norte"]);
});

test("a duplicate has all values except the address, so that no password is stored in the browser history", async () => {
  const { user, address, router } = renderPage("/content/playlists/1/edit");
  await user.click(await screen.findByRole("button", { name: "Duplicar" }));
  await waitFor(() => expect(address()).toBe("/content/playlists/create"));
  expect(JSON.stringify(router.state.location.state)).not.toContain("clave");
  await user.type(await title(), " 2");
  await user.click(screen.getByRole("button", { name: "Crear fuente" }));
  await waitFor(() => expect(address()).toBe("/content/playlists/2"));
  expect(sent[0]).toMatchObject({ title: "Proveedor 2", radioCountry: "España", firstNumber: 40 });
  expect(sent[0]?.url ?? null).toBeNull();
  await act(() => router.navigate(-1));
  expect(router.state.location.pathname).toBe("/content/playlists/1/edit");
});

test("users who may not create sources cannot duplicate them", async () => {
  be("PLAYLIST_READ", "PLAYLIST_UPDATE");
  renderPage("/content/playlists/1/edit");
  expect(await title()).toHaveValue("Proveedor");
  expect(screen.queryByRole("button", { name: "Duplicar" })).not.toBeInTheDocument();
});
