// The prerendered sign-in of the document: shown by a script, filled in before the program is loaded, and kept by it.
import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { hydrateRoot, type Root as MountedRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storedUserKey } from "../access/storedUser";
import { chooseLanguage } from "../i18n";
import type { Language } from "../i18n/language";
import { backend } from "../testing/backend";
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
  for (const link of document.head.querySelectorAll("link[rel=modulepreload]")) link.remove();
});

/** The document as the build writes it, after its script ran. */
async function openDocument(chosen: Language = "es"): Promise<HTMLElement> {
  const root = document.createElement("div");
  root.id = "root";
  document.body.append(root);
  for (const language of ["es", "en"] as const) {
    const template = document.createElement("template");
    template.id = `first-screen-${language}`;
    template.innerHTML = await firstScreenMarkup(language);
    document.body.append(template);
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

test("nothing of the panel is downloaded for a new visitor", async () => {
  addPanelFiles();
  await openDocument();
  expect(document.head.querySelectorAll("link[rel=modulepreload]")).toHaveLength(0);
});
