// The command palette: what it finds first, what it does, and what it remembers.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { recentItems, rememberItem } from "../../../access/recent";
import { chooseLanguage } from "../../../i18n";
import { backend, problem } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { sampleCurrentUser, sampleMovie } from "../../../testing/samples";
import { server } from "../../../testing/server";
import { sampleUser, users } from "../../../testing/users";

beforeEach(() => localStorage.clear());

async function openPalette(address = "/") {
  const page = renderPage(address);
  await page.user.click(await screen.findByRole("button", { name: /Ir a…/ }));
  const search = await screen.findByPlaceholderText(/^Ir a una página/);
  return { ...page, search };
}

function movies(titles: string[], total = titles.length) {
  const content = titles.map((title, index) => ({
    ...sampleMovie(titles.length * 10 + index),
    title,
    qualities: [],
  }));
  return HttpResponse.json({ content, page: 0, size: 20, totalPages: 1, totalElements: total });
}

/** The results, in their order. */
const names = () =>
  within(screen.getByRole("dialog"))
    .getAllByRole("button")
    .map((button) => button.textContent ?? "");

test("what begins with the words comes first, also where the list has more than were looked at", async () => {
  server.use(
    http.get("/api/movies", ({ request }) =>
      new URL(request.url).searchParams.has("startsWith")
        ? movies(["Duna"])
        : movies(["Redundancia", "La duna"], 40),
    ),
  );
  const { user, search } = await openPalette();
  await user.type(search, "dun");
  await waitFor(() => expect(names().join()).toMatch(/^Duna.*La duna.*Redundancia/));
});

test("creating is an action for users with the permission", async () => {
  const { user, search, address } = await openPalette();
  await user.type(search, "crear pel");
  await screen.findByRole("button", { name: "Crear película" });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/content/movies/create"));
});

test("what is typed from Ctrl+K on is searched, and typed nowhere else, also before the palette is loaded", async () => {
  const { user, address } = renderPage("/content/movies");
  const field = await screen.findByPlaceholderText(/^Buscar/);
  await user.click(field);
  const press = (key: string, modifiers = {}) => fireEvent.keyDown(field, { key, ...modifiers });
  press("k", { ctrlKey: true });
  // At once: nothing can have been loaded meanwhile.
  const pressed = [..."creaz", "Backspace", ..."r pel"].map((key) => press(key));
  expect(pressed).not.toContain(true);
  const search = await screen.findByPlaceholderText(/^Ir a una página/);
  await waitFor(() => expect(search).toHaveValue("crear pel"));
  await user.keyboard("í");
  expect(search).toHaveValue("crear pelí");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/content/movies/create"));
});

test("Enter before the palette is loaded opens the first result", async () => {
  const { address, idle } = renderPage("/");
  const button = await screen.findByRole("button", { name: /Ir a…/ });
  await idle();
  fireEvent.keyDown(button, { key: "k", ctrlKey: true });
  for (const key of [..."crear pel", "Enter"]) fireEvent.keyDown(button, { key });
  await waitFor(() => expect(address()).toBe("/content/movies/create"));
});

test("Escape before the palette is loaded closes it, with what was typed", async () => {
  renderPage("/content/movies");
  const field = await screen.findByPlaceholderText(/^Buscar/);
  const press = (key: string, modifiers = {}) => fireEvent.keyDown(field, { key, ...modifiers });
  press("k", { ctrlKey: true });
  press("a");
  expect(press("Escape")).toBe(false);
  // The field has the keys again.
  expect(press("b")).toBe(true);
  press("k", { ctrlKey: true });
  const search = await screen.findByPlaceholderText(/^Ir a una página/);
  await waitFor(() => expect(search).toHaveFocus());
  expect(search).toHaveValue("");
});

test("where the palette did not load, what is typed stays where the focus is", async () => {
  renderPage("/content/movies");
  const field = await screen.findByPlaceholderText(/^Buscar/);
  fireEvent.keyDown(field, { key: "k", ctrlKey: true });
  const message = document.body.appendChild(document.createElement("section"));
  message.className = "part-failure";
  expect(fireEvent.keyDown(field, { key: "a" })).toBe(true);
  message.remove();
});

test("users who may only read have no action of creating", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["MOVIE_READ"] };
  const { user, search } = await openPalette();
  await user.type(search, "pel");
  expect(await screen.findByRole("button", { name: "Exportar Películas…" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Crear película" })).toBeNull();
});

test("exporting opens the list with its dialog", async () => {
  const { user, search, address, router } = await openPalette();
  await user.type(search, "exportar pel");
  await screen.findByRole("button", { name: "Exportar Películas…" });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/content/movies"));
  const dialog = await screen.findByRole("dialog", { name: /Exportar/ });
  // Once: the history of the browser remembers how the list was opened.
  await user.click(within(dialog).getByRole("button", { name: "Cerrar" }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  await act(() => router.navigate("/content/movies/1/edit"));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Exportar…" })).toBeNull());
  await act(() => router.navigate(-1));
  await screen.findByRole("button", { name: "Exportar…" });
  expect(screen.queryByRole("dialog", { name: /Exportar/ })).toBeNull();
});

function answerUsers(...usernames: string[]) {
  server.use(
    http.get("/api/users", () =>
      HttpResponse.json({
        content: usernames.map((username) => sampleUser(username)),
        page: 0,
        size: 20,
        totalPages: 1,
        totalElements: usernames.length,
      }),
    ),
  );
}

test("a customer whose name begins with the words comes first, however many have them", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const many = ["susana", "mariana", "juana", "rihana", "adriana"].map((username) =>
    sampleUser(username, { fullName: `${username} Ruiz` }),
  );
  server.use(
    http.get("/api/users", ({ request }) => {
      const query = new URL(request.url).searchParams;
      const begins = query.get("startsWith") === "ana" && query.get("search") === null;
      const content = begins ? [sampleUser("luis_9", { fullName: "Ana Gil" })] : many;
      return HttpResponse.json({ content, page: 0, size: 20, totalPages: 2, totalElements: begins ? 1 : 30 });
    }),
  );
  const { user, search } = await openPalette();
  await user.type(search, "ana");
  await waitFor(() => expect(names()[0]).toMatch(/^Ana Gil/));
});

test("«vender a» asks for the user, and opens the sale", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  answerUsers("mari_luz", "luz_1");
  const { user, search, address } = await openPalette();
  await user.type(search, "vender a luz");
  await screen.findByRole("button", { name: "Vender a luz_1…" });
  expect(names()).toEqual(["Vender a luz_1…", "Vender a mari_luz…"]);
  expect(backend.requests.filter((one) => one.includes("search=luz"))).toEqual([]);
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/users?openCredits=luz_1"));
});

test("a user who is looked for can be sold to, after everything else", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  answerUsers("luz_1");
  const { user, search } = await openPalette();
  await user.type(search, "luz");
  await screen.findByRole("button", { name: "Vender a luz_1…" });
  expect(names()[0]).toMatch(/Persona luz_1/);
  expect(names().at(-1)).toBe("Vender a luz_1…");
});

test("a user whom the server finds by phone is shown, although no visible text has the digits", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  answerUsers("luz_1");
  const { user, search } = await openPalette();
  await user.type(search, "600 12");
  await screen.findByRole("button", { name: /Persona luz_1/ });
});

test("recently opened items come first, and are forgotten after signing out", async () => {
  const { user, search } = await openPalette();
  await user.type(search, "dun");
  await screen.findByRole("button", { name: /Dune/ });
  await user.keyboard("{Enter}");
  await screen.findByRole("heading", { name: "Editar «Dune»" });
  await user.click(screen.getByRole("button", { name: /Ir a…/ }));
  await screen.findByPlaceholderText(/^Ir a una página/);
  expect(names()[0]).toMatch(/^Dune/);
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: /^Menú de/ }));
  await user.click(await screen.findByRole("menuitem", { name: "Cerrar Sesión" }));
  await screen.findByLabelText("Usuario");
  expect(recentItems(sampleCurrentUser.username)).toEqual([]);
});

test("a recently opened form becomes the page of the item without the permission to change it", async () => {
  rememberItem(sampleCurrentUser.username, { of: "movies", name: "Dune", path: "/content/movies/1/edit" });
  backend.user = { ...sampleCurrentUser, roleCode: "contentManager", permissions: ["MOVIE_READ"] };
  const { user, address } = await openPalette();
  await user.click(await screen.findByRole("button", { name: /^Dune/ }));
  await waitFor(() => expect(address()).toBe("/content/movies/1"));
});

test("a user whose page and form were opened is among the recent items, once", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  users.all = [sampleUser("luis")];
  const { router } = renderPage("/users/luis");
  await screen.findByRole("heading", { level: 1, name: "Persona luis" });
  await act(() => router.navigate("/users/luis/edit"));
  await screen.findByRole("heading", { level: 1, name: /^Editar/ });
  expect(recentItems(sampleCurrentUser.username)).toEqual([
    { of: "users", name: "Persona luis", path: "/users/luis" },
  ]);
});

test("the tabs of the settings are found by what they are about", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const { user, search, address } = await openPalette();
  await user.type(search, "mensajes de renov");
  await screen.findByRole("button", { name: "Configuración: mensajes de renovación" });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/settings/general?tab=renewals"));
});

test("the tabs of the settings are not for those who do not read settings", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "agent", permissions: ["USER_READ"] };
  answerUsers();
  const { user, search } = await openPalette();
  await user.type(search, "configuración");
  // It is shown and announced, in place of the result that was marked before.
  expect(await screen.findAllByText("No hay nada con ese nombre.")).toHaveLength(2);
});

test("users, renewals and the ledger are exported by those who read them", async () => {
  backend.user = {
    ...sampleCurrentUser,
    roleCode: "agent",
    permissions: ["USER_READ", "CREDIT_HISTORY_READ"],
  };
  answerUsers();
  const { user, search, address } = await openPalette();
  await user.type(search, "exportar");
  await screen.findByRole("button", { name: "Exportar Usuarios…" });
  expect(names().filter((name) => name?.startsWith("Exportar"))).toEqual([
    "Exportar Usuarios…",
    "Exportar Movimiento Crédito…",
  ]);
  await user.click(screen.getByRole("button", { name: "Exportar Usuarios…" }));
  await waitFor(() => expect(address()).toBe("/users"));
  expect(await screen.findByRole("dialog", { name: /Exportar/ })).toBeVisible();
});

test("what the arrows chose stays chosen when better results arrive", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  let answer = () => {};
  const arrived = new Promise<void>((done) => {
    answer = done;
  });
  server.use(
    http.get("/api/movies", async () => {
      await arrived;
      return movies(["Usuarios de noche"]);
    }),
  );
  const { user, search, address } = await openPalette();
  await user.type(search, "us");
  await screen.findByRole("button", { name: "Usuarios" });
  await user.keyboard("{ArrowDown}{ArrowUp}");
  answer();
  await screen.findByRole("button", { name: /Usuarios de noche/ });
  await user.keyboard("{Enter}");
  await waitFor(() => expect(address()).toBe("/users"));
});

test("letters that the server folds are folded among actions and in what they begin with", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  answerUsers("luz_1");
  const { user, search } = await openPalette();
  await user.type(search, "ｃｒｅａｒ  pel");
  await screen.findByRole("button", { name: "Crear película" });
  await user.clear(search);
  await user.type(search, "Vendér  a luz");
  await screen.findByRole("button", { name: "Vender a luz_1…" });
});

test("a search that failed says so, beside what was found, and can be repeated", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  answerUsers();
  server.use(
    http.get("/api/movies", () => problem(400, { message: "La búsqueda no sirve." }), { once: true }),
    http.get("/api/movies", () => movies(["Duna"])),
  );
  const { user, search } = await openPalette();
  await user.type(search, "duna");
  const failure = await screen.findByRole("alert", { name: "No se ha podido buscar todo" });
  expect(failure).toHaveTextContent("La búsqueda no sirve.");
  expect(screen.queryByText("No hay nada con ese nombre.")).toBeNull();
  await user.click(within(failure).getByRole("button", { name: "Reintentar" }));
  await screen.findByRole("button", { name: /^Duna/ });
  expect(screen.queryByRole("alert", { name: "No se ha podido buscar todo" })).toBeNull();
});

test("an English panel says in English that a search failed", async () => {
  await chooseLanguage("en");
  server.use(http.get("/api/movies", () => problem(400, { message: "No." })));
  const page = renderPage("/");
  await page.user.click(await screen.findByRole("button", { name: /Go to…/ }));
  await page.user.type(await screen.findByPlaceholderText(/^Go to a page/), "duna");
  await screen.findByRole("alert", { name: "Not everything could be searched" });
});

test("a channel is found by its number, one digit is enough, before those whose number only begins with it", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVCHANNEL_READ"] };
  const channel = (id: number, channelNumber: number, title: string) => ({
    id,
    version: 1,
    channelNumber,
    title,
    categories: [],
    active: true,
  });
  const requests: string[] = [];
  server.use(
    http.get("/api/tv-channels", ({ request }) => {
      const { searchParams } = new URL(request.url);
      requests.push(searchParams.toString());
      const content =
        searchParams.get("channelNumber") === "7"
          ? [channel(900, 7, "La Siete")]
          : searchParams.get("channelNumber")
            ? [channel(901, 10, "La Diez")]
            : searchParams.has("startsWith")
              ? []
              : [channel(1, 101, "Canal 101"), channel(2, 1010, "Otro")];
      return HttpResponse.json({ content, page: 0, size: 20, totalPages: 9, totalElements: 180 });
    }),
  );
  const { user, search } = await openPalette();
  await user.type(search, "7");
  expect(await screen.findByRole("button", { name: /La Siete/ })).toBeVisible();
  expect(requests.filter((query) => query.includes("search=7"))).toEqual([]);
  await user.clear(search);
  await user.type(search, "10");
  await waitFor(() => expect(names().slice(0, 2).join()).toMatch(/La Diez.*Canal 101/));
});

test("an episode is found by its title, and opens its form; a season without a title is not", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["TVSHOW_READ", "TVSHOW_UPDATE"] };
  const answer = (content: object[]) =>
    HttpResponse.json({ content, page: 0, size: 20, totalPages: 1, totalElements: content.length });
  const part = { id: 4, tvShowId: 7, tvShowTitle: "La casa azul", seasonNumber: 2 };
  server.use(
    http.get("/api/episodes", () => answer([{ ...part, episodeNumber: 3, title: "El regreso" }])),
    http.get("/api/seasons", () =>
      answer([
        { ...part, id: 5, title: null },
        { ...part, title: "Regresos" },
      ]),
    ),
  );
  const { user, search, address } = await openPalette();
  await user.type(search, "regreso");
  const episode = await screen.findByRole("button", { name: /El regreso.*La casa azul · S2E3/ });
  expect(screen.getByRole("button", { name: /Regresos.*La casa azul/ })).toBeVisible();
  await user.click(episode);
  await waitFor(() => expect(address()).toBe("/content/tv-shows/7/episodes?episode=4"));
});

test("users who may not read series see no episodes", async () => {
  backend.user = { ...sampleCurrentUser, permissions: ["MOVIE_READ"] };
  let reads = 0;
  server.use(
    http.get("/api/episodes", () => {
      reads += 1;
      return HttpResponse.json({ content: [], page: 0, size: 20, totalPages: 0, totalElements: 0 });
    }),
    http.get("/api/movies", () => movies(["El regreso"])),
  );
  const { user, search } = await openPalette();
  await user.type(search, "regreso");
  await screen.findByRole("button", { name: /El regreso/ });
  expect(reads).toBe(0);
});
