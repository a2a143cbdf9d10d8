// Set-up of every test: texts of both languages, a mock server without handlers, and polyfills of browser features.
import "@testing-library/jest-dom/vitest";
import { notifications } from "@mantine/notifications";
import { cleanup, configure, prettyDOM } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { chooseLanguage, loadPanelTexts, startLanguages } from "../i18n";
import { firstPageIsShown } from "../loading/firstPage";
import { isReloading } from "../loading/reload";
import { resetBackend } from "./backend";
import { resetActivity } from "./notes";
import { resetRenewals } from "./renewals";
import { server } from "./server";

configure({
  // The time limit of polling a condition, on two busy cores.
  asyncUtilTimeout: 30_000,
  // The document is printed when the message is read, not at each poll.
  getElementError(message, container) {
    const error = new Error();
    error.name = "TestingLibraryElementError";
    Object.defineProperty(error, "message", {
      configurable: true,
      get: () => [message, prettyDOM(container)].filter(Boolean).join("\n\n"),
    });
    return error;
  },
});

// Computing a style reads every rule of the document for every element, and each query by role computes hundreds.
// Without the panel's style sheets, an element has only the styles of its own attributes: an icon, that it is inline.
const computeStyle = window.getComputedStyle.bind(window);
const svgStyle = computeStyle(document.createElementNS("http://www.w3.org/2000/svg", "path"));
window.getComputedStyle = (element, pseudo) => {
  if (pseudo) return computeStyle(element, pseudo);
  if (element instanceof SVGElement)
    return element.style.length > 0 || element.hasAttribute("hidden") ? computeStyle(element) : svgStyle;
  return element instanceof HTMLElement && !element.hidden ? element.style : computeStyle(element);
};

// Reading an index of an HTMLCollection makes jsdom search its named elements first; `item` does not.
const itemOf = (list: HTMLCollectionOf<HTMLLabelElement>, index: number) =>
  HTMLCollection.prototype.item.call(list, index) as HTMLLabelElement | null;

// For each field, jsdom looks for the field of every label, each time through the whole document. A label's field is the
// one that it names, or one inside it: no other label is asked.
for (const { prototype } of [HTMLInputElement, HTMLButtonElement, HTMLSelectElement, HTMLTextAreaElement]) {
  const labelsOf = Object.getOwnPropertyDescriptor(prototype, "labels")?.get;
  Object.defineProperty(prototype, "labels", {
    configurable: true,
    get(this: HTMLInputElement) {
      if (this.getRootNode() !== document || this.type === "hidden") return labelsOf?.call(this);
      const all = document.getElementsByTagName("label");
      const own: HTMLLabelElement[] = [];
      for (let index = 0, label = itemOf(all, 0); label; index++, label = itemOf(all, index))
        if (
          (label.hasAttribute("for") ? label.htmlFor === this.id : label.contains(this)) &&
          label.control === this
        )
          own.push(label);
      return own;
    },
  });
}

// The table library hides every column unless the empty query matches.
window.matchMedia = (query) =>
  ({
    matches: query === "",
    media: query,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    onchange: null,
    dispatchEvent: () => false,
  }) as MediaQueryList;
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView = () => {};
window.scrollTo = () => {};
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
  // As browsers do, where nothing in it has the attribute `autofocus`.
  this.querySelector<HTMLElement>("input, button")?.focus();
};
HTMLDialogElement.prototype.close = function () {
  this.open = false;
};
HTMLMediaElement.prototype.load = () => {};
if (!document.fonts)
  Object.defineProperty(document, "fonts", { value: { addEventListener() {}, removeEventListener() {} } });

/** Elements where HTML does not allow them, which React reports once each. */
const misplaced: string[] = [];
const reportError = console.error;
console.error = (...message: unknown[]) => {
  const [what, inner, outer] = message.map(String);
  // A dialog is a portal at the end of the page, except in Mantine's test environment.
  if (what?.startsWith("In HTML, ") && inner !== "<form>") misplaced.push(`${inner} in <${outer}>`);
  reportError(...message);
};

beforeAll(async () => {
  // Its time is tested where it matters (loading/firstPage.test.ts).
  firstPageIsShown();
  server.listen({ onUnhandledRequest: "error" });
  await startLanguages();
  await loadPanelTexts();
});
beforeEach(async () => {
  resetBackend();
  resetRenewals();
  resetActivity();
  localStorage.clear();
  sessionStorage.clear();
  await chooseLanguage("es");
  localStorage.clear();
});
afterEach(async () => {
  cleanup();
  notifications.clean();
  vi.useRealTimers();
  // jsdom cannot reload: the page of the next test would be one that is about to go.
  if (isReloading()) {
    window.dispatchEvent(new Event("beforeunload"));
    await vi.waitUntil(() => !isReloading());
  }
  server.resetHandlers();
  expect(misplaced.splice(0), "elements where HTML does not allow them").toEqual([]);
});
afterAll(() => server.close());
