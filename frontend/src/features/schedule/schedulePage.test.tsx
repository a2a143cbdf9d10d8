// «Programación»: which programme is shown in full, and keys that are the browser's.
import { createEvent, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

const day = "2026-11-20T";
const programme = (title: string) => ({
  title,
  subTitle: null,
  start: `${day}00:00:00Z`,
  stop: `${day}06:00:00Z`,
  isNew: false,
  isRepeat: false,
});
const full = (channelId: number, title: string) => ({
  channelId,
  channelNumber: channelId,
  title: `Canal ${channelId}`,
  epgId: null,
  guideId: null,
  guideTitle: null,
  guideChannel: null,
  programme: {
    ...programme(title),
    categories: [],
    ratings: [],
    description: `De qué va ${title}`,
    icon: null,
    date: null,
    season: null,
    episode: null,
  },
  following: [],
  elsewhere: [],
});

/** What the second channel's programme answers with. */
let second: () => Response | Promise<Response>;

beforeEach(() => {
  backend.user = {
    username: "ana",
    roleCode: "contentManager",
    roleName: "",
    permissions: ["TVCHANNEL_READ"],
  };
  // Rows are drawn as far as there is room for them.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1_000);
  Element.prototype.scrollTo = () => {};
  second = () => HttpResponse.json(full(2, "Ópera"));
  server.use(
    http.get("/api/categories", () => HttpResponse.json({ content: [] })),
    http.get("/api/schedule", () =>
      HttpResponse.json({
        timeZone: "UTC",
        content: ["Cine", "Ópera"].map((title, index) => ({
          channelId: index + 1,
          channelNumber: index + 1,
          title: `Canal ${index + 1}`,
          without: null,
          programmes: [programme(title)],
        })),
        totalElements: 2,
      }),
    ),
    http.get("/api/tv-channels/1/programme", () => HttpResponse.json(full(1, "Cine"))),
    http.get("/api/tv-channels/2/programme", () => second()),
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

const cell = (title: string) => screen.findByRole("gridcell", { name: new RegExp(title) });
const close = () => screen.findByRole("button", { name: "Cerrar" });

test("a programme that is on its way is not shown as the one of another channel", async () => {
  let answer: (() => void) | undefined;
  second = () =>
    new Promise((done) => {
      answer = () => done(HttpResponse.json(full(2, "Ópera")));
    });
  const { user } = renderPage("/content/guide?day=2026-11-20");
  await user.click(await cell("Cine"));
  await screen.findByText("De qué va Cine");
  await user.click(await close());
  await user.click(await cell("Ópera"));
  const drawer = within(await screen.findByRole("dialog"));
  await vi.waitFor(() => expect(answer).toBeDefined());
  expect(drawer.queryByText("De qué va Cine")).not.toBeInTheDocument();
  answer?.();
  await drawer.findByText("De qué va Ópera");
});

test("a channel that is gone by now says so instead of what it had", async () => {
  const { user } = renderPage("/content/guide?day=2026-11-20");
  await user.click(await cell("Ópera"));
  await screen.findByText("De qué va Ópera");
  await user.click(await close());
  second = () => problem(404, { code: "NOT_FOUND", message: "No existe." });
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
  await user.click(await cell("Ópera"));
  const drawer = within(await screen.findByRole("dialog"));
  await drawer.findByText("No existe.");
  expect(drawer.queryByText("De qué va Ópera")).not.toBeInTheDocument();
});

test("keys of the browser stay the browser's", async () => {
  renderPage("/content/guide?day=2026-11-20");
  const first = await cell("Cine");
  const press = (init: KeyboardEventInit) => {
    const event = createEvent.keyDown(first, init);
    fireEvent(first, event);
    return event.defaultPrevented;
  };
  expect(press({ key: "ArrowDown" })).toBe(true);
  expect(press({ key: "ArrowLeft", altKey: true })).toBe(false);
  expect(press({ key: "ArrowRight", metaKey: true })).toBe(false);
});

test("categories that could not be loaded are said to be so, and are loaded again", async () => {
  const category = (id: number, name: string) => ({ id, description: name, englishDescription: name });
  server.use(
    http.get("/api/categories", () => problem(403, { message: "Hoy no." }), { once: true }),
    http.get("/api/categories", () =>
      HttpResponse.json({ content: [category(1, "Ópera"), category(2, "Cine")] }),
    ),
  );
  renderPage("/content/guide?day=2026-11-20");
  const field = await screen.findByRole("combobox", { name: "Categoría" });
  await waitFor(() => expect(field).toHaveAccessibleDescription("Error al cargar los datos"));
  fireEvent.click(screen.getByRole("button", { name: "Reintentar" }));
  await within(field).findByRole("option", { name: "Cine" });
  const names = within(field)
    .getAllByRole("option")
    .map((option) => option.textContent);
  expect(names.slice(1)).toEqual(["Cine", "Ópera"]);
});
