// A session that expires while a form is filled in: the sign-in opens over the page.
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { backend, problem } from "../testing/backend";
import { renderPage } from "../testing/render";
import { sampleCurrentUser } from "../testing/samples";
import { server } from "../testing/server";

const signInDialog = () => screen.findByRole("dialog", { name: "Iniciar sesión" });

/** Fills in and saves a category in a session that the server has ended. */
async function saveInExpiredSession() {
  const opened = renderPage("/content/categories/create");
  const { user } = opened;
  await user.type(await screen.findByLabelText(/^Descripción(?! en)/), "Cine mudo");
  await user.type(screen.getByLabelText(/^Descripción en inglés/), "Silent films");
  const keys: (string | null)[] = [];
  let isKnown = false;
  server.use(
    http.post("/api/categories", ({ request }) => {
      keys.push(request.headers.get("idempotency-key"));
      return isKnown ? undefined : problem(401, { code: "NOT_AUTHENTICATED" });
    }),
    http.post("/api/auth/refresh", () => (isKnown ? undefined : problem(401, { code: "NOT_AUTHENTICATED" }))),
    http.post("/api/auth/login", () => {
      isKnown = true;
      return undefined;
    }),
  );
  await user.click(screen.getByRole("button", { name: "Crear categoría" }));
  const dialog = await signInDialog();
  return { ...opened, dialog, keys };
}

test("after the sign-in the same save goes through, under the same key", async () => {
  const { user, dialog, keys, address } = await saveInExpiredSession();
  expect(within(dialog).getByText("Tu sesión ha caducado. Inicia sesión de nuevo.")).toBeVisible();
  expect(within(dialog).getByText("Lo que estás escribiendo se conserva.")).toBeVisible();
  expect(within(dialog).getByLabelText("Usuario")).toHaveValue("ana");
  expect(within(dialog).getByLabelText("Contraseña")).toHaveFocus();
  expect(address()).toBe("/content/categories/create");

  await user.keyboard("mala{Enter}");
  expect(await within(dialog).findByText("Usuario o contraseña incorrectos.")).toBeVisible();
  await user.clear(within(dialog).getByLabelText("Contraseña"));
  await user.keyboard("secreta{Enter}");
  await waitFor(() => expect(address()).toBe("/content/categories"));
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBeTruthy();
  expect(keys[1]).toBe(keys[0]);
  expect(backend.tables.categories?.filter((one) => one.description === "Cine mudo")).toHaveLength(1);
});

test("another user starts anew, and nothing of the first is sent", async () => {
  const { user, dialog, keys } = await saveInExpiredSession();
  server.use(
    http.post("/api/auth/login", () =>
      HttpResponse.json({
        success: true,
        message: "",
        user: { ...sampleCurrentUser, username: "eva" },
        errorCode: null,
      }),
    ),
  );
  await user.clear(within(dialog).getByLabelText("Usuario"));
  await user.type(within(dialog).getByLabelText("Usuario"), "eva");
  await user.type(within(dialog).getByLabelText("Contraseña"), "secreta{Enter}");
  await screen.findByRole("button", { name: "Menú de eva" });
  expect(await screen.findByLabelText(/^Descripción(?! en)/)).toHaveValue("");
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  expect(keys).toHaveLength(1);
});

test("Escape and Ctrl+S leave the dialog and the form as they are", async () => {
  const { user, keys } = await saveInExpiredSession();
  await user.keyboard("{Escape}{Control>}s{/Control}");
  expect(await signInDialog()).toBeVisible();
  expect(screen.getByLabelText(/^Descripción(?! en)/)).toHaveValue("Cine mudo");
  expect(keys).toHaveLength(1);
});
