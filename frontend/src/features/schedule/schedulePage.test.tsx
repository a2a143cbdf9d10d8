// «Programación»: its file, the programme that is shown in full, keys that are the browser's, searches, and what could not be read.
import {
  act,
  cleanup,
  createEvent,
  fireEvent,
  render,
  screen,
  waitFor,
  within,
} from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { Suspense, use } from "react";
import { createMemoryRouter, useLocation } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionProvider } from "../../access/session";
import { SignedIn } from "../../app/Guard";
import Shell from "../../app/layout/Shell";
import Panel from "../../app/Panel";
import { chooseLanguage, loadTexts } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { later } from "./days";
import SchedulePage from "./SchedulePage";

const day = "2026-11-20T";
const days = { timeZone: "UTC", daysBack: 1, daysAhead: 14 };
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
    episodeText: null,
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
  // Only rows that fit in the height are rendered.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1_000);
  Element.prototype.scrollTo = () => {};
  second = () => HttpResponse.json(full(2, "Ópera"));
  server.use(
    http.get("/api/categories", () => HttpResponse.json({ content: [] })),
    http.get("/api/schedule", () =>
      HttpResponse.json({
        ...days,
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
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const cell = (title: string) => screen.findByRole("gridcell", { name: new RegExp(title) });
const close = () => screen.findByRole("button", { name: "Cerrar" });

test("the day that is shown has a file, with the filters", async () => {
  const columns = ["number", "start", "programme"].map((key) => ({ key, heading: key }));
  server.use(http.get("/api/spreadsheets/schedule/columns", () => HttpResponse.json(columns)));
  const { user } = renderPage("/content/guide?day=2026-11-20&search=cine&guide=4");
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  await dialog.findByRole("checkbox", { name: "programme", checked: true });
  const { searchParams } = new URL(
    dialog.getByRole("link", { name: "Descargar" }).getAttribute("href") ?? "",
    "http://x",
  );
  expect(Object.fromEntries(searchParams)).toEqual({
    format: "xlsx",
    language: "es",
    from: "2026-11-20",
    to: "2026-11-20",
    search: "cine",
    guide: "4",
    without: "false",
  });
});

test("on a phone the file has the day that is shown, today", async () => {
  const matchMedia = window.matchMedia;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes("max-width: 640px"),
  }));
  const columns = [{ key: "number", heading: "number" }];
  server.use(http.get("/api/spreadsheets/schedule/columns", () => HttpResponse.json(columns)));
  const { user } = renderPage("/content/guide?day=2026-11-18");
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" }));
  const link = await dialog.findByRole("link", { name: "Descargar" });
  const { searchParams } = new URL(link.getAttribute("href") ?? "", "http://x");
  expect(searchParams.get("from")).toBe(searchParams.get("to"));
  expect(searchParams.get("from")).not.toBe("2026-11-18");
});

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

test.each([
  ["/api/auth/me", null],
  ["data:image/svg+xml,<svg/>", null],
  ["https://pictures.example/opera.jpg", "https://pictures.example/opera.jpg"],
])("of what a guide names as a picture, addresses of the web alone are loaded (%s)", async (icon, source) => {
  const answer = full(2, "Ópera");
  second = () => HttpResponse.json({ ...answer, programme: { ...answer.programme, icon } });
  const { user } = renderPage("/content/guide?day=2026-11-20");
  await user.click(await cell("Ópera"));
  const drawer = await screen.findByRole("dialog");
  await within(drawer).findByText("De qué va Ópera");
  const picture = drawer.querySelector("img");
  expect(picture?.getAttribute("src") ?? null).toBe(source);
  if (picture) fireEvent.error(picture);
  expect(drawer.querySelector("img")).toBeNull();
});

test("a block that cannot be read leaves on the screen what was read, with the failure above it", async () => {
  // So wide that the next six hours are seen, too.
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(3_000);
  let isAway = true;
  server.use(
    http.get("/api/schedule", ({ request }) =>
      isAway && new URL(request.url).searchParams.get("from") === `${day}06:00:00.000Z`
        ? problem(400, { message: "Hoy no." })
        : undefined,
    ),
  );
  const { user } = renderPage("/content/guide?day=2026-11-20");
  const failure = () => screen.queryByRole("alert", { name: "Error al cargar la programación" });
  await vi.waitFor(() => expect(failure()).toBeInTheDocument());
  const first = await cell("Cine");
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await vi.waitFor(() => expect(failure()).not.toBeInTheDocument());
  expect(first).toBeInTheDocument();
});

test("on a phone, channels that cannot be read leave those that were read", async () => {
  const matchMedia = window.matchMedia;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes("max-width: 640px"),
  }));
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(6_000);
  let isAway = true;
  server.use(
    http.get("/api/schedule", ({ request }) => {
      const page = Number(new URL(request.url).searchParams.get("_page"));
      if (page === 1 && isAway) return problem(400, { message: "Hoy no." });
      const content = Array.from({ length: page === 1 ? 2 : 50 }, (_, index) => ({
        channelId: page * 50 + index + 1,
        channelNumber: page * 50 + index + 1,
        title: `Canal ${page * 50 + index + 1}`,
        without: "NO_GUIDE",
        programmes: [],
      }));
      return HttpResponse.json({ ...days, content, totalElements: 52 });
    }),
  );
  const { user } = renderPage("/content/guide");
  await screen.findByRole("alert", { name: "Error al cargar la programación" });
  const first = await screen.findByText("Canal 1");
  isAway = false;
  await user.click(screen.getByRole("button", { name: "Reintentar" }));
  await screen.findByText("Canal 52");
  expect(first).toBeInTheDocument();
  expect(screen.queryByRole("alert", { name: "Error al cargar la programación" })).not.toBeInTheDocument();
});

test("where a decision about its guide channel is missing, a channel leads to it: grid, drawer, phone", async () => {
  const of = (channelId: number, without: string) => ({
    channelId,
    channelNumber: channelId,
    title: `Canal ${channelId}`,
    without,
    programmes: [],
  });
  server.use(
    http.get("/api/schedule", () =>
      HttpResponse.json({
        ...days,
        content: [of(1, "TWO_FIT"), of(2, "NOBODY_DECIDED"), of(3, "NO_GUIDE")],
        totalElements: 3,
      }),
    ),
    http.get("/api/tv-channels/1/programme", () =>
      HttpResponse.json({ ...full(1, ""), programme: null, without: "TWO_FIT" }),
    ),
    http.get("/api/tv-channels/3/programme", () =>
      HttpResponse.json({ ...full(3, ""), programme: null, without: "NO_GUIDE" }),
    ),
  );
  const { user } = renderPage("/content/guide?day=2026-11-20");
  const gap = await cell("Encajan dos canales de guía");
  const links = () => screen.getAllByRole("link", { name: /Encajan|Nadie ha decidido/ });
  const review = (channel: number) => `/content/epg-review?channel=${channel}`;
  expect(links().map((link) => link.getAttribute("href"))).toEqual([review(1), review(2)]);
  expect(screen.queryByRole("link", { name: "No tiene guía asignada" })).not.toBeInTheDocument();
  gap.focus();
  await user.keyboard("{Enter}");
  const drawer = within(await screen.findByRole("dialog"));
  expect(await drawer.findByRole("link", { name: "Decidir qué canal de guía es" })).toHaveAttribute(
    "href",
    review(1),
  );
  cleanup();

  const matchMedia = window.matchMedia;
  vi.spyOn(window, "matchMedia").mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes("max-width: 640px"),
  }));
  const phone = renderPage("/content/guide");
  await screen.findByText("Encajan dos canales de guía");
  expect(links().map((link) => link.getAttribute("href"))).toEqual([review(1), review(2)]);
  await phone.user.click(screen.getByRole("button", { name: /Canal 3/ }));
  const opened = within(await screen.findByRole("dialog", { name: "Canal 3" }));
  expect(opened.getByText("No tiene guía asignada")).toBeVisible();
});

test.each([
  ["the arrows", "Día siguiente"],
  ["the list of days", "Día"],
])("today begins where the time is, chosen by %s", async (_, name) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(`${day}20:00:00Z`);
  try {
    const shown: unknown[] = [];
    Element.prototype.scrollTo = ((to: ScrollToOptions) => {
      if (to.behavior === "auto" && to.left !== undefined) shown.push(to.left);
    }) as typeof Element.prototype.scrollTo;
    const { user, address } = renderPage("/content/guide?day=2026-11-19");
    await screen.findByRole("grid");
    if (name === "Día") await user.selectOptions(screen.getByRole("combobox", { name }), "2026-11-20");
    else await user.click(screen.getByRole("button", { name }));
    await vi.waitFor(() => expect(shown).toHaveLength(1));
    // 40 half-hours, less the one before it, which is seen as well.
    expect(shown).toEqual([39 * 130]);
    expect(address()).toBe("/content/guide");
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  [0, 7],
  [7, 14],
])(
  "the days that the service keeps can be looked at (%i before, %i after today)",
  async (daysBack, daysAhead) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(`${day}20:00:00Z`);
    server.use(
      http.get("/api/schedule", () =>
        HttpResponse.json({ ...days, daysBack, daysAhead, content: [], totalElements: 0 }),
      ),
    );
    const { user } = renderPage("/content/guide");
    const list = await screen.findByRole("combobox", { name: "Día" });
    const shown = within(list)
      .getAllByRole<HTMLOptionElement>("option")
      .map(({ value }) => value);
    expect(shown).toHaveLength(daysBack + 1 + daysAhead);
    const [first = "", last = ""] = [shown[0], shown.at(-1)];
    expect([first, last]).toEqual([later("2026-11-20", -daysBack), later("2026-11-20", daysAhead)]);
    await user.selectOptions(list, first);
    await waitFor(() => expect(screen.getByRole("button", { name: "Día anterior" })).toBeDisabled());
    await user.selectOptions(list, last);
    await waitFor(() => expect(screen.getByRole("button", { name: "Día siguiente" })).toBeDisabled());
  },
);

const never = new Promise<never>(() => {});

/** The schedule, and another page whose part never comes. */
function SlowPages() {
  if (useLocation().pathname !== "/content/guide") use(never);
  return <SchedulePage />;
}

test("a search that comes after another page was opened does not come back from it", async () => {
  await loadTexts("schedule");
  const element = (
    <Suspense>
      <SlowPages />
    </Suspense>
  );
  const router = createMemoryRouter(
    [
      {
        element: (
          <SignedIn>
            <Shell />
          </SignedIn>
        ),
        children: [
          { path: "/content/guide", element },
          { path: "/other", element },
        ],
      },
    ],
    { initialEntries: ["/content/guide?day=2026-11-20"] },
  );
  render(
    <SessionProvider>
      <Panel router={router} />
    </SessionProvider>,
  );
  const search = await screen.findByRole("searchbox", { name: "Buscar canal o programa" });
  await act(() => router.navigate("/other"));
  await userEvent.type(search, "Ópera{Enter}");
  expect(router.state.location.pathname + router.state.location.search).toBe("/other");
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

test.each([
  ["21:02", [null, "Avance", null]],
  ["22:00", [null, null, "Película"]],
])("of a long programme under a short one, only the part of now is on (%s)", async (time, expected) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(`${day}${time}:00Z`);
  // So wide that the evening is drawn.
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(7_000);
  const at = (title: string, start: string, stop: string) => ({
    ...programme(title),
    start: `${day}${start}:00Z`,
    stop: `${day}${stop}:00Z`,
  });
  server.use(
    http.get("/api/schedule", () =>
      HttpResponse.json({
        ...days,
        content: [
          {
            channelId: 1,
            channelNumber: 1,
            title: "Canal 1",
            without: null,
            programmes: [at("Película", "20:00", "23:00"), at("Avance", "21:00", "21:05")],
          },
        ],
        totalElements: 1,
      }),
    ),
  );
  renderPage("/content/guide?day=2026-11-20");
  await cell("Avance");
  const cells = screen.getAllByRole("gridcell", { name: /Película|Avance/ });
  expect(
    cells.map((one) => (one.classList.contains("is-on") ? one.querySelector("b")?.textContent : null)),
  ).toEqual(expected);
});

test.each([
  "day=2026-02-31",
  "day=9999-12-31",
  "guide=0",
  "guide=todas",
  "category=-1",
  "hours=73",
  "hours=0",
  "reason=ANY",
  "show=all",
])("«%s» in the address is no part of the schedule: it is shown without it", async (parameter) => {
  const requests: URLSearchParams[] = [];
  server.events.on("request:start", ({ request }) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/schedule") requests.push(searchParams);
  });
  const { address } = renderPage(`/content/guide?${parameter}`);
  expect(await screen.findByText("Canal 1")).toBeVisible();
  expect(
    await screen.findByText(
      `La dirección pedía algo que esta página no tiene (${parameter}). Se muestra sin ello.`,
    ),
  ).toBeVisible();
  expect(address()).toBe("/content/guide");
  const today = new Date().toISOString().slice(0, 10);
  await waitFor(() => expect(requests.some((query) => query.get("from")?.startsWith(today))).toBe(true));
  const names = requests.flatMap((query) => [...query.keys()]);
  expect(names.filter((name) => !["from", "to", "_page", "_size"].includes(name))).toEqual([]);
  server.events.removeAllListeners();
});

test("programmes are read again in the language that is chosen", async () => {
  const titles: Record<string, string> = { es: "Ópera", en: "Opera" };
  const titleFor = (request: Request) => titles[request.headers.get("accept-language") ?? ""] ?? "";
  server.use(
    http.get("/api/schedule", ({ request }) =>
      HttpResponse.json({
        ...days,
        content: [
          {
            channelId: 2,
            channelNumber: 2,
            title: "Canal 2",
            without: null,
            programmes: [programme(titleFor(request))],
          },
        ],
        totalElements: 1,
      }),
    ),
    http.get("/api/tv-channels/2/programme", ({ request }) => HttpResponse.json(full(2, titleFor(request)))),
  );
  const { user } = renderPage("/content/guide?day=2026-11-20");
  await user.click(await cell("Ópera"));
  await screen.findByText("De qué va Ópera");
  await act(() => chooseLanguage("en"));
  await screen.findByText("De qué va Opera");
  await waitFor(() => expect(screen.queryByText("Ópera")).not.toBeInTheDocument());
});
