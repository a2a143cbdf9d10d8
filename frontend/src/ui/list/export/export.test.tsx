// A list as a spreadsheet: the address of the file says what the list shows.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { call } from "../../../api/client";
import { problem } from "../../../testing/backend";
import { renderPage } from "../../../testing/render";
import { server } from "../../../testing/server";
import { columnsOfList } from "./ExportDialog";

const columns = [
  { key: "id", heading: "ID" },
  { key: "title", heading: "Título" },
  { key: "year", heading: "Año" },
  { key: "categoryId", heading: "Categoría (ID)" },
  { key: "categoryId.name", heading: "Categoría" },
  { key: "link1_url", heading: "link1_url" },
  { key: "link1_quality", heading: "link1_quality" },
  { key: "views", heading: "Vistas" },
];

beforeEach(() => {
  server.use(http.get("/api/movies/spreadsheet/columns", () => HttpResponse.json(columns)));
});

async function opened(path: string) {
  const { user } = renderPage(path);
  await user.click(await screen.findByRole("button", { name: "Exportar…" }));
  const dialog = await screen.findByRole("dialog", { name: "Exportar a una hoja de cálculo" });
  await within(dialog).findByRole("checkbox", { name: "Título" });
  const link = () => within(dialog).getByRole("link", { name: "Descargar" });
  const query = () => Object.fromEntries(new URL(link().getAttribute("href") ?? "", "http://x").searchParams);
  return { user, dialog, link, query };
}

test("the columns of a list have names instead of ids", () => {
  const keys = columns.map(({ key }) => key);
  expect(columnsOfList(keys, ["title", "categoryId", "unknown"])).toEqual(["title", "categoryId.name"]);
});

test("the file has the search, the filters, the order and the columns of the list", async () => {
  const { user, dialog, query } = await opened("/content/movies?search=metr&year=1927&sort=-year");
  expect(query()).toMatchObject({
    format: "xlsx",
    language: "es",
    search: "metr",
    year: "1927",
    _sort: "-year",
  });
  expect(query().columns?.split(",")).toContain("title");
  expect(query().columns).not.toContain("link");

  await user.click(within(dialog).getByRole("radio", { name: "CSV" }));
  await user.click(within(dialog).getByRole("checkbox", { name: "Enlaces" }));
  expect(query()).toMatchObject({ format: "csv" });
  expect(query().columns?.split(",")).toContain("links");
  await user.click(within(dialog).getByRole("button", { name: "Todas, con los enlaces" }));
  expect(query().columns).toBeUndefined();
});

test("without a column there is nothing to download", async () => {
  const { user, dialog } = await opened("/content/movies");
  for (const box of within(dialog).getAllByRole("checkbox", { checked: true })) await user.click(box);
  const link = within(dialog).getByText("Descargar").closest("a");
  expect(link?.getAttribute("href")).toBeNull();
  expect(link?.getAttribute("aria-disabled")).toBe("true");
});

describe("the download", () => {
  const started: string[] = [];

  beforeEach(() => {
    started.length = 0;
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      started.push(this.getAttribute("href") ?? "");
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("begins once the session is known", async () => {
    const { user, link } = await opened("/content/movies");
    const address = link().getAttribute("href");
    await user.click(link());
    await waitFor(() => expect(started).toEqual([address]));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("of a double click begins once", async () => {
    const { user, link } = await opened("/content/movies");
    const address = link().getAttribute("href");
    let answer = () => {};
    const checks: string[] = [];
    server.use(
      http.get("/api/auth/sessions", async ({ request }) => {
        checks.push(request.url);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      }),
    );
    await user.dblClick(link());
    await waitFor(() => expect(checks).toHaveLength(1));
    expect(link()).toHaveAttribute("aria-busy", "true");
    expect(link()).toHaveAttribute("data-loading", "true");
    expect(screen.getByText("Preparando la descarga…")).toHaveRole("status");
    // Nor does the other format meanwhile.
    await user.click(screen.getByRole("radio", { name: "CSV" }));
    await user.click(link());
    answer();
    await waitFor(() => expect(started).toEqual([address]));
    expect(checks).toHaveLength(1);
  });

  test("of an expired session begins after the sign-in over the page", async () => {
    let isKnown = false;
    const { user, link } = await opened("/content/movies?search=metr");
    const address = link().getAttribute("href");
    const known = () => (isKnown ? undefined : problem(401, { code: "NOT_AUTHENTICATED" }));
    server.use(
      http.get("/api/auth/sessions", known),
      http.post("/api/auth/refresh", known),
      http.post("/api/auth/login", () => {
        isKnown = true;
        return undefined;
      }),
    );
    await user.click(link());
    const dialog = await screen.findByRole("dialog", { name: "Iniciar sesión" });
    expect(started).toEqual([]);
    await user.type(within(dialog).getByLabelText("Contraseña"), "secreta{Enter}");
    await waitFor(() => expect(started).toEqual([address]));
    expect(address).toContain("search=metr");
  });

  test("that the server refuses says why, and does not begin", async () => {
    let isRefused = true;
    server.use(
      http.get("/api/auth/sessions", () =>
        isRefused
          ? problem(429, { code: "TOO_MANY_REQUESTS", message: "Vuelve en un rato." })
          : HttpResponse.json([]),
      ),
    );
    const { user, dialog, link, query } = await opened("/content/movies");
    await user.click(within(dialog).getByRole("checkbox", { name: "Título" }));
    const { columns } = query();
    await user.click(link());
    expect(await within(dialog).findByText("El archivo no se ha podido descargar")).toBeVisible();
    expect(within(dialog).getByText("Vuelve en un rato.")).toBeVisible();
    expect(started).toEqual([]);
    // What was chosen stays, and is downloaded by another press.
    expect(query().columns).toBe(columns);
    const address = link().getAttribute("href");
    isRefused = false;
    await user.click(link());
    await waitFor(() => expect(started).toEqual([address]));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  test("does not begin where its dialog was closed before the session is known", async () => {
    const { user, dialog, link } = await opened("/content/movies");
    let answer = () => {};
    let isAsked = false;
    server.use(
      http.get("/api/auth/sessions", async () => {
        if (isAsked) return HttpResponse.json([]);
        const held = new Promise<void>((resolve) => {
          answer = resolve;
        });
        isAsked = true;
        await held;
        return HttpResponse.json([]);
      }),
    );
    await user.click(link());
    await waitFor(() => expect(isAsked).toBe(true));
    await user.click(within(dialog).getByRole("button", { name: "Cancelar" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    answer();
    // This one is answered after it.
    await call("get", "/auth/sessions");
    expect(started).toEqual([]);
    expect(screen.queryByText("El archivo no se ha podido descargar")).not.toBeInTheDocument();
  });

  test("in another tab is the browser's", async () => {
    const { link } = await opened("/content/movies");
    expect(fireEvent.click(link(), { ctrlKey: true })).toBe(true);
    expect(started).toEqual([]);
  });
});
