// What is shown before the panel: the sign-in screen or the panel, and the address it leaves behind.
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { storedUserKey } from "../access/storedUser";
import { backend } from "../testing/backend";
import { sampleCurrentUser } from "../testing/samples";
import { App } from "./App";

const address = () => location.pathname + location.search;

function open(at: string, state: object | null = null) {
  history.replaceState(state, "", at);
  render(<App />);
  return userEvent.setup();
}

async function signIn(user: ReturnType<typeof userEvent.setup>) {
  await user.type(await screen.findByLabelText("Usuario"), "ana");
  await user.type(screen.getByLabelText("Contraseña"), "secreta{Enter}");
}

const movies = () => screen.findByRole("heading", { name: /Películas/ });

beforeEach(() => {
  backend.user = null;
});

test("without a session the address redirects to the sign-in, which returns to it", async () => {
  const user = open("/content/movies?search=matrix");
  expect(screen.getByRole("status", { name: "Cargando…" })).toBeVisible();
  expect(await screen.findByRole("heading", { name: "Iniciar sesión" })).toBeVisible();
  expect(address()).toBe("/login");
  await signIn(user);
  expect(await movies()).toBeVisible();
  expect(address()).toBe("/content/movies?search=matrix");
});

test("the sign-in is shown before the session is loaded, and redirects to the home page", async () => {
  const user = open("/login");
  expect(screen.getByRole("heading", { name: "Iniciar sesión" })).toBeVisible();
  await signIn(user);
  await waitFor(() => expect(address()).toBe("/"));
});

test("a sign-in screen that is reloaded keeps the return path", async () => {
  const user = open("/login", { usr: { from: "/content/movies" }, key: "default", idx: 0 });
  await signIn(user);
  expect(await movies()).toBeVisible();
  expect(address()).toBe("/content/movies");
});

test("the back button does not lead around the sign-in", async () => {
  open("/login");
  history.replaceState(null, "", "/content/movies");
  window.dispatchEvent(new PopStateEvent("popstate"));
  await waitFor(() => expect(address()).toBe("/login"));
  expect(await screen.findByRole("heading", { name: "Iniciar sesión" })).toBeVisible();
  expect(history.state.usr.from).toBe("/content/movies");
});

test("a session without a stored user opens the requested page", async () => {
  backend.user = sampleCurrentUser;
  open("/content/movies");
  expect(await movies()).toBeVisible();
  expect(address()).toBe("/content/movies");
});

test("a stored user whose session has expired sees a message, and returns to the page after signing in", async () => {
  localStorage.setItem(storedUserKey, "{}");
  const user = open("/content/movies");
  expect(await screen.findByText("Tu sesión ha caducado. Inicia sesión de nuevo.")).toBeVisible();
  expect(address()).toBe("/login");
  await signIn(user);
  expect(await movies()).toBeVisible();
});
