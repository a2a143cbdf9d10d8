// Passwords and addresses that carry credentials are in no storage of the browser, however a form ends.
import { cleanup, screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { reloadKeepingDrafts } from "../loading/reload";
import { backend, problem } from "../testing/backend";
import { source } from "../testing/playlists";
import { renderPage } from "../testing/render";
import { server } from "../testing/server";
import { localDraft, storeLocalDraft } from "./localDraft";

const stored = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
const draftAt = (address: string) => localDraft("ana", address);

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "admin",
    roleName: "Administrador",
    permissions: [
      "PLAYLIST_READ",
      "PLAYLIST_CREATE",
      "PLAYLIST_UPDATE",
      "TVCHANNEL_READ",
      "TVCHANNEL_UPDATE",
    ],
  };
});

describe("the password of a new user", () => {
  const password = "Secreta-123";

  async function fillIn() {
    const { user } = renderPage("/users/create");
    await user.type(await screen.findByLabelText(/Nombre de usuario/), "eva_1");
    await user.type(screen.getByLabelText(/^Contraseña/), password);
    await user.type(screen.getByLabelText(/Nombre completo/), "Eva Ruiz");
    await user.type(screen.getByLabelText(/Correo electrónico/), "eva@example.com");
    await user.type(screen.getByLabelText(/Teléfono/), "600 123 456");
    return { user };
  }
  const submit = () => screen.getByRole("button", { name: "Crear usuario" });

  test("is not stored when the user was refused, nor once it is emptied", async () => {
    let atSending = "";
    server.use(
      http.post("/api/users", () => {
        atSending = stored();
        return problem(409, { code: "CONFLICT", message: "Ese usuario ya existe." });
      }),
    );
    const { user } = await fillIn();
    await user.click(submit());
    await screen.findAllByText("Ese usuario ya existe.");
    expect(draftAt("/users/create")?.values.fullName).toBe("Eva Ruiz");
    expect(atSending).not.toContain(password);
    expect(stored()).not.toContain(password);
    await user.clear(screen.getByLabelText(/^Contraseña/));
    cleanup();
    expect(stored()).not.toContain(password);
  });

  test("is not stored when the answer is lost, nor when the session ends", async () => {
    let isLost = true;
    server.use(
      http.post("/api/users", () =>
        isLost ? Response.error() : problem(401, { code: "NOT_AUTHENTICATED", message: "Entra otra vez." }),
      ),
    );
    const { user } = await fillIn();
    await user.click(submit());
    await screen.findByText("No se pudo guardar");
    expect(stored()).not.toContain(password);
    isLost = false;
    await user.click(submit());
    await screen.findByRole("dialog", { name: "Iniciar sesión" });
    reloadKeepingDrafts();
    // Not all that is typed comes back: the browser asks.
    expect(window.dispatchEvent(new Event("beforeunload", { cancelable: true }))).toBe(false);
    expect(sessionStorage.getItem("cartelera.draft.ana./users/create")).toContain("Eva Ruiz");
    expect(stored()).not.toContain(password);
  });

  test("has to be typed again, which the draft says", async () => {
    const { user } = await fillIn();
    await waitFor(() => expect(draftAt("/users/create")?.values.phoneNumber).toBe("600 123 456"));
    const kept = { ...localStorage };
    cleanup();
    for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
    renderPage("/users/create");
    expect(await screen.findByText(/No se guarda por seguridad: Contraseña\./)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Recuperar" }));
    expect(screen.getByLabelText(/Nombre completo/)).toHaveValue("Eva Ruiz");
    expect(screen.getByLabelText(/^Contraseña/)).toHaveValue("");
  });
});

describe("the address of a playlist", () => {
  const url = "http://list.example/get.php?username=rosa&password=clave-9";

  test("is not stored with the draft of a new source, whether it was sent or not", async () => {
    server.use(
      http.get("/api/categories", () => HttpResponse.json({ content: [] })),
      http.post("/api/playlist-sources", () => Response.error()),
    );
    const { user } = renderPage("/content/playlists/create");
    await user.type(await screen.findByLabelText(/^Título/), "Proveedor");
    await user.click(document.querySelector<HTMLInputElement>('[name="url"]') as HTMLInputElement);
    await user.paste(url);
    await user.click(screen.getByRole("button", { name: "Crear fuente" }));
    await screen.findByText("No se pudo guardar");
    expect(draftAt("/content/playlists/create")?.values.title).toBe("Proveedor");
    expect(draftAt("/content/playlists/create")?.leftOut).toEqual(["url"]);
    expect(stored()).not.toContain("clave-9");
  });

  test("is not stored when something else of the source changes", async () => {
    server.use(
      http.get("/api/categories", () => HttpResponse.json({ content: [] })),
      http.get("/api/playlist-sources/1", () => HttpResponse.json({ ...source, url })),
    );
    const { user } = renderPage("/content/playlists/1/edit");
    await user.type(await screen.findByDisplayValue("Proveedor"), " dos");
    await waitFor(() => expect(draftAt("/content/playlists/1/edit")?.values.title).toBe("Proveedor dos"));
    expect(draftAt("/content/playlists/1/edit")?.leftOut).toBeUndefined();
    expect(stored()).not.toContain("clave-9");
  });
});

test("headers of streams are not stored", async () => {
  const stream = {
    label: null,
    quality: null,
    urlType: "EXTERNAL",
    url: "https://a.example/1.m3u8",
    headers: [{ name: "Authorization", value: "Basic c2VjcmV0bw" }],
    number: 1,
    origin: "TYPED",
    state: "UNKNOWN",
  };
  server.use(
    http.get("/api/tv-channels/7/streams", () =>
      HttpResponse.json({
        version: 1,
        title: "Canal Siete",
        failover: "MANUAL",
        played: 0,
        streams: [stream, { ...stream, number: 2, url: "https://b.example/1.m3u8", headers: [] }],
      }),
    ),
  );
  const address = "/content/tv-channels/7/streams";
  const { user } = renderPage(address);
  await screen.findAllByRole("radio");
  await user.click(document.querySelector<HTMLInputElement>('input[value="AUTO"]') as HTMLInputElement);
  await waitFor(() => expect(draftAt(address)?.values).toEqual({ failover: "AUTO" }));
  expect(stored()).not.toContain("c2VjcmV0bw");
});

test("drafts that are too old are deleted when another one is stored", () => {
  const month = 31 * 24 * 60 * 60 * 1000;
  storeLocalDraft("ana", "/old", {
    values: {},
    keptAt: new Date(Date.now() - month).toISOString(),
  });
  storeLocalDraft("ana", "/new", { values: {} });
  expect(Object.keys(localStorage).filter((key) => key.includes("draft /"))).toEqual([
    "cartelera.of.ana draft /new",
  ]);
});
