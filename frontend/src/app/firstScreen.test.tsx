// The prerendered sign-in of the document: shown by a script, filled in before the program is loaded, and kept by it.
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { hydrateRoot, type Root as MountedRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { linksToRows } from "../../scripts/panelLinks";
import { kinds } from "../access/kinds";
import { storedUserKey } from "../access/storedUser";
import { dropAhead, readAhead } from "../api/ahead";
import { chooseLanguage } from "../i18n";
import type { Language } from "../i18n/language";
import { paths } from "../routing/paths";
import { backend, sent } from "../testing/backend";
import { serveKinds } from "../testing/kindCases";
import { renderPage } from "../testing/render";
import { sampleCurrentUser } from "../testing/samples";
import { keepPageSize } from "../ui/list/preferences";
import { showFirstScreen } from "./firstScreen";
import { firstScreenMarkup } from "./firstScreenMarkup";
import { Root } from "./Root";

let mounted: MountedRoot | undefined;

beforeEach(() => {
  backend.user = null;
  history.replaceState(null, "", "/login");
});

afterEach(async () => {
  await act(async () => mounted?.unmount());
  mounted = undefined;
  document.body.replaceChildren();
  dropAhead();
  for (const link of document.head.querySelectorAll("link")) link.remove();
});

/** The document as the build writes it, after its script ran. */
async function openDocument(chosen: Language = "es"): Promise<HTMLElement> {
  const root = document.createElement("div");
  root.id = "root";
  document.body.append(root);
  for (const language of ["es", "en"] as const) {
    const { screen, failure } = await firstScreenMarkup(language);
    for (const [name, markup] of Object.entries({ "first-screen": screen, "loading-failure": failure })) {
      const template = document.createElement("template");
      template.id = `${name}-${language}`;
      template.innerHTML = markup;
      document.body.append(template);
    }
  }
  await chooseLanguage(chosen);
  showFirstScreen();
  return root;
}

test("a new visitor sees the sign-in of the document in their language", async () => {
  expect(within(await openDocument()).getByRole("button", { name: "Iniciar sesión" })).toBeDisabled();
  document.body.replaceChildren();
  expect(within(await openDocument("en")).getByLabelText("Password")).toBeVisible();
  expect(document.documentElement.lang).toBe("en");
});

test("it is hidden for a user who was signed in, and at other addresses", async () => {
  localStorage.setItem(storedUserKey, "{}");
  expect((await openDocument()).childElementCount).toBe(0);
  document.body.replaceChildren();
  localStorage.clear();
  history.replaceState(null, "", "/content/movies");
  expect((await openDocument()).childElementCount).toBe(0);
});

test("text typed before the program is loaded stays, keeps the focus, and is sent", async () => {
  const user = userEvent.setup();
  const root = await openDocument();
  const username = within(root).getByLabelText("Usuario");
  const password = within(root).getByLabelText("Contraseña");
  await user.type(username, "ana");
  await user.type(password, "secreta");
  const failures = vi.spyOn(console, "error");
  const onRecoverableError = vi.fn();
  await act(async () => {
    mounted = hydrateRoot(root, <Root />, { onRecoverableError });
  });
  expect(screen.getByLabelText("Usuario")).toBe(username);
  expect(username).toHaveValue("ana");
  expect(password).toHaveFocus();
  expect(onRecoverableError).not.toHaveBeenCalled();
  expect(failures).not.toHaveBeenCalled();
  expect(screen.getByRole("button", { name: "English" })).toBeEnabled();
  await user.keyboard("{Enter}");
  expect(await screen.findByRole("heading", { name: "Panel de Gestión de Contenido" })).toBeVisible();
});

/** The program's script is not there. */
function failToLoad() {
  const script = document.createElement("script");
  document.body.append(script);
  script.dispatchEvent(new Event("error"));
}

test("where the program can't be loaded, the sign-in says so and is no longer busy", async () => {
  const user = userEvent.setup();
  const root = await openDocument("en");
  await user.type(within(root).getByLabelText("Username"), "ana");
  await user.type(within(root).getByLabelText("Password"), "secreta");
  const submit = within(root).getByRole("button", { name: "Sign in" });
  await user.click(submit);
  expect(submit).toHaveAttribute("aria-busy", "true");
  failToLoad();
  expect(submit).not.toHaveAttribute("aria-busy");
  expect(submit).toBeDisabled();
  expect(within(root).getByText(/^Network error/)).toBeVisible();
  const refresh = within(root).getByRole("link", { name: "Refresh Page" });
  expect(refresh).toHaveAttribute("href", "http://localhost:3000/login");
});

test("where the program can't be loaded, a page that is still blank says so", async () => {
  localStorage.setItem(storedUserKey, "{}");
  history.replaceState(null, "", "/content/movies");
  const root = await openDocument();
  failToLoad();
  expect(within(root).getByText(/^Error de red/)).toBeVisible();
  expect(within(root).getByRole("link", { name: "Recargar la página" })).toBeVisible();
});

/** Mounts the program over the document. */
async function loadProgram(root: HTMLElement): Promise<void> {
  await act(async () => {
    mounted = hydrateRoot(root, <Root />);
  });
}

test("a sign-in that is sent before the program is loaded is carried out by it, once", async () => {
  const user = userEvent.setup();
  const root = await openDocument();
  await user.type(within(root).getByLabelText("Usuario"), "ana");
  const button = within(root).getByRole("button", { name: "Iniciar sesión" });
  expect(button).toBeDisabled();
  await user.type(within(root).getByLabelText("Contraseña"), "secreta{Enter}");
  expect(button).toHaveAttribute("aria-busy", "true");
  expect(sent("POST /api/auth/login")).toHaveLength(0);
  await loadProgram(root);
  expect(await screen.findByRole("heading", { name: "Panel de Gestión de Contenido" })).toBeVisible();
  expect(sent("POST /api/auth/login")).toHaveLength(1);
});

test("text typed after such a press withdraws it", async () => {
  const user = userEvent.setup();
  const root = await openDocument();
  await user.type(within(root).getByLabelText("Usuario"), "ana");
  await user.type(within(root).getByLabelText("Contraseña"), "secret{Enter}a");
  await loadProgram(root);
  const button = screen.getByRole("button", { name: "Iniciar sesión" });
  expect(button).toBeEnabled();
  expect(button).not.toHaveAttribute("aria-busy", "true");
  expect(sent("POST /api/auth/login")).toHaveLength(0);
});

test("a language that is chosen before the program is loaded is shown by it", async () => {
  const root = await openDocument();
  await userEvent.click(within(root).getByRole("button", { name: "English" }));
  await loadProgram(root);
  expect(await screen.findByRole("button", { name: "Sign in" })).toBeVisible();
  expect(screen.getByRole("button", { name: "English" })).not.toHaveAttribute("aria-busy");
});

test("what replaces the sign-in of the document is not listened to", async () => {
  const root = await openDocument();
  const other = document.createElement("button");
  root.replaceChildren(other);
  const click = new MouseEvent("click", { bubbles: true, cancelable: true });
  other.dispatchEvent(click);
  expect(click.defaultPrevented).toBe(false);
  expect(other).not.toHaveAttribute("aria-busy");
});

/** The links of a document that the build would write, in the form of scripts/panelLinks.ts. */
const panelFiles = `
  <link rel="modulepreload" href="/assets/panel.js">
  <link rel="modulepreload" href="/assets/es.js" data-language="es">
  <link rel="modulepreload" href="/assets/en.js" data-language="en">
  <link rel="modulepreload" href="/assets/pages.js" data-paths="*">
  <link rel="modulepreload" href="/assets/played.js" data-paths="/content/movies /content/concerts">
  <link rel="modulepreload" href="/assets/movies.js" data-paths="/content/movies">
  <link rel="modulepreload" href="/assets/series.en.js" data-language="en" data-paths="/content/tv-shows">`;

function addPanelFiles(): void {
  const template = document.createElement("template");
  template.id = "panel-files";
  template.innerHTML = panelFiles;
  document.body.append(template);
}

test.each([
  ["/content/movies", "es", ["panel", "es", "played", "movies"]],
  ["/content/concerts", "en", ["panel", "en", "played"]],
  ["/content/tv-shows", "en", ["panel", "en", "series.en"]],
  ["/content/movies/7/edit", "es", ["panel", "es", "pages"]],
  ["/", "en", ["panel", "en", "pages"]],
] as const)("the panel of %s in %s is downloaded beside the program", async (path, language, files) => {
  localStorage.setItem(storedUserKey, "{}");
  history.replaceState(null, "", path);
  addPanelFiles();
  await openDocument(language);
  const started = [...document.head.querySelectorAll("link[rel=modulepreload]")];
  expect(started.map((link) => link.getAttribute("href"))).toEqual(files.map((file) => `/assets/${file}.js`));
});

/** The addresses of links to fonts that were started. */
const fonts = () =>
  [...document.head.querySelectorAll("link[as=font]")].map((link) => link.getAttribute("href"));

function addFontFile(): void {
  const template = document.createElement("template");
  template.id = "font-file";
  template.innerHTML = '<link rel="preload" as="font" href="/assets/inter.woff2">';
  document.body.append(template);
}

test("the font is downloaded with the sign-in", async () => {
  addFontFile();
  await openDocument();
  expect(fonts()).toEqual(["/assets/inter.woff2"]);
});

test("the font is downloaded after the panel, also where a part of that fails", async () => {
  localStorage.setItem(storedUserKey, "{}");
  addPanelFiles();
  addFontFile();
  await openDocument();
  const [first, ...others] = document.head.querySelectorAll("link");
  for (const link of others) link.dispatchEvent(new Event("load"));
  await act(async () => {});
  expect(fonts()).toEqual([]);
  first?.dispatchEvent(new Event("error"));
  await waitFor(() => expect(fonts()).toEqual(["/assets/inter.woff2"]));
});

test("nothing of the panel is downloaded for a new visitor", async () => {
  addPanelFiles();
  await openDocument();
  expect(document.head.querySelectorAll("link[rel=modulepreload]")).toHaveLength(0);
});

function addRowLinks(): void {
  const template = document.createElement("template");
  template.id = "panel-files";
  for (const { attrs = {} } of linksToRows()) {
    const link = document.createElement("link");
    for (const [name, value] of Object.entries(attrs)) link.setAttribute(name, String(value));
    template.content.append(link);
  }
  document.body.append(template);
}

/** Opens a list as a user who was signed in, and says what the document requested and what the list did after it. */
async function openList(
  address: string,
  language: Language = "es",
): Promise<[ahead: string[], after: string[]]> {
  localStorage.setItem(storedUserKey, "{}");
  history.replaceState(null, "", address);
  addRowLinks();
  await openDocument(language);
  await waitFor(() => expect(sent("POST /api/auth/refresh")).toHaveLength(1));
  const ahead = backend.requests.splice(0);
  const { idle } = renderPage(address);
  await idle();
  return [ahead, backend.requests];
}

test.each(kinds)(
  "session and first rows of %s are requested by the document, as the list would",
  async (kind) => {
    serveKinds();
    const [ahead, after] = await openList(paths.contents(kind));
    const rows = `GET /api/${kind}?_page=0&_size=${kind === "sports" ? 25 : 10}&_sort=-id`;
    expect(ahead.toSorted()).toEqual([rows, "POST /api/auth/refresh"]);
    expect(after).not.toContain(rows);
    expect(after).not.toContain("POST /api/auth/refresh");
  },
);

test("they are as many as were chosen in this browser", async () => {
  serveKinds();
  keepPageSize("movies", 50);
  const [ahead, after] = await openList("/content/movies", "en");
  const rows = "GET /api/movies?_page=0&_size=50&_sort=-id";
  expect(ahead).toContain(rows);
  expect(after).not.toContain(rows);
});

test.each(["/content/movies?search=dune", "/content/movies/create"])(
  "the document requests no rows for %s",
  async (address) => {
    serveKinds();
    expect((await openList(address))[0]).toEqual(["POST /api/auth/refresh"]);
  },
);

test("nothing is requested for a new visitor", async () => {
  addRowLinks();
  const requested = vi.spyOn(globalThis, "fetch");
  await openDocument();
  history.replaceState(null, "", "/content/movies");
  await openDocument();
  expect(requested).not.toHaveBeenCalled();
});

test("rows that have arrived are shown with the list, not after it", async () => {
  backend.user = { ...sampleCurrentUser };
  localStorage.setItem(storedUserKey, "{}");
  history.replaceState(null, "", "/content/movies");
  addRowLinks();
  await openDocument();
  await readAhead();
  const { idle } = renderPage("/content/movies");
  await screen.findByRole("heading", { level: 1, name: /Películas/ });
  expect(screen.getByRole("link", { name: "Dune" })).toBeVisible();
  await idle();
  expect(sent("GET /api/movies")).toHaveLength(1);
});
