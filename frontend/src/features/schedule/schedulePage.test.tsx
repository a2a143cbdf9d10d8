// «Programación»: its file, the programme that is shown in full, days, the language, keys that are the browser's, and searches.
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
import { expect, test, vi } from "vitest";
import { SessionProvider } from "../../access/session";
import { SignedIn } from "../../app/Guard";
import Shell from "../../app/layout/Shell";
import Panel from "../../app/Panel";
import { chooseLanguage, loadTexts } from "../../i18n";
import { renderPage } from "../../testing/render";
import { answers, cell, close, day, days, full, programme, scheduleBeforeEach } from "../../testing/schedule";
import { server } from "../../testing/server";
import { later } from "./days";
import SchedulePage from "./SchedulePage";

scheduleBeforeEach();

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
  answers.second = () =>
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
  answers.second = () => HttpResponse.json({ ...answer, programme: { ...answer.programme, icon } });
  const { user } = renderPage("/content/guide?day=2026-11-20");
  await user.click(await cell("Ópera"));
  const drawer = await screen.findByRole("dialog");
  await within(drawer).findByText("De qué va Ópera");
  const picture = drawer.querySelector("img");
  expect(picture?.getAttribute("src") ?? null).toBe(source);
  if (picture) fireEvent.error(picture);
  expect(drawer.querySelector("img")).toBeNull();
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
