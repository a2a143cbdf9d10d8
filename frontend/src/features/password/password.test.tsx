// Changing one's own password.
import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { areAllMet, isMet, requirements } from "./requirements";

const bodies: unknown[] = [];
const path = "/api/users/me/password";

beforeEach(() => {
  bodies.length = 0;
  server.use(
    http.put(path, async ({ request }) => {
      bodies.push(await request.json());
      return new HttpResponse(null, { status: 204 });
    }),
  );
});

async function openPage() {
  const page = renderPage("/settings/change-password");
  await screen.findByRole("heading", { level: 1, name: "Cambiar Contraseña" });
  const field = (name: string) => screen.getByLabelText(new RegExp(`^${name}`), { selector: "input" });
  const fields = {
    current: field("Contraseña actual"),
    next: field("Nueva contraseña"),
    confirmation: field("Confirmar contraseña"),
  };
  const fill = async (current: string, next: string, confirmation = next) => {
    await page.user.type(fields.current, current);
    await page.user.type(fields.next, next);
    await page.user.type(fields.confirmation, confirmation);
  };
  return { ...page, ...fields, fill, submit: screen.getByRole("button", { name: "Cambiar contraseña" }) };
}

test.each([
  ["", []],
  ["corta", ["lower", "other", "short"]],
  ["Siguiente 2", requirements],
  ["SIGUIENTE 2", ["length", "upper", "digit", "other", "short"]],
  ["Siguiente", ["length", "upper", "lower", "other", "short"]],
  ["Anterior 1", ["length", "upper", "lower", "digit", "short"]],
  ["Ñandúes 1", requirements],
  // Whole characters, as the server counts: seven of them.
  ["Aa1😀😀😀😀", ["upper", "lower", "digit", "other", "short"]],
  [`Aa1${"x".repeat(125)}`, requirements],
  [`Aa1${"x".repeat(126)}`, ["length", "upper", "lower", "digit", "other"]],
])("«%s» meets %j", (next, met) => {
  const passwords = { current: "Anterior 1", next, confirmation: "" };
  expect(requirements.filter((requirement) => isMet(requirement, passwords))).toEqual(met);
  expect(areAllMet(passwords)).toBe(met === requirements);
});

test("the list of requirements follows what is typed", async () => {
  const { user, next } = await openPage();
  const list = screen.getByRole("list", { name: "Requisitos de la nueva contraseña" });
  const met = () =>
    within(list)
      .getAllByRole("listitem")
      .filter((item) => item.dataset.met === "true")
      .map((item) => item.textContent);
  expect(met()).toEqual([]);
  await user.type(next, "abcdefg8");
  expect(met()).toEqual([
    "8 caracteres o más: cumplido",
    "Una letra minúscula: cumplido",
    "Un número: cumplido",
    "Distinta de la actual: cumplido",
    "128 caracteres como máximo: cumplido",
  ]);
  expect(screen.getByText("Falta 1 requisito")).toBeInTheDocument();
  await user.type(next, "X");
  expect(met()).toHaveLength(6);
  expect(screen.getByText("La nueva contraseña cumple todos los requisitos")).toBeInTheDocument();
});

test("the button waits for the requirements and for the other two fields", async () => {
  const { user, current, next, confirmation, submit } = await openPage();
  expect(submit).toBeDisabled();
  await user.type(next, "Siguiente 2");
  await user.type(confirmation, "S");
  expect(submit).toBeDisabled();
  await user.type(current, "Anterior 1");
  expect(submit).toBeEnabled();
  await user.clear(confirmation);
  expect(submit).toBeDisabled();
  await user.type(confirmation, "Siguiente 2");
  await user.clear(next);
  await user.type(next, "siguiente");
  expect(submit).toBeDisabled();
});

test("errors are shown at the field", async () => {
  const { user, fill, next, current, confirmation, submit } = await openPage();
  await fill("Anterior 1", "corta", "otra");
  await user.tab();
  expect(screen.getByText("La nueva contraseña no cumple con los requisitos")).toBeVisible();
  expect(screen.getByText("Las contraseñas no coinciden")).toBeVisible();
  expect(next).toHaveAttribute("aria-invalid", "true");
  await user.clear(next);
  expect(screen.getByText("La nueva contraseña es requerida")).toBeVisible();
  await user.type(next, "Anterior 1");
  expect(screen.getByText("La nueva contraseña debe ser diferente a la actual")).toBeVisible();
  await user.clear(confirmation);
  expect(screen.getByText("Confirmar contraseña es requerido")).toBeVisible();
  await user.clear(current);
  expect(screen.getByText("La contraseña actual es requerida")).toBeVisible();
  expect(submit).toBeDisabled();
});

test("two new passwords that differ are not sent", async () => {
  const { user, fill, confirmation, submit } = await openPage();
  await fill("Anterior 1", "Siguiente 2", "Siguiente 3");
  await user.click(submit);
  expect(await screen.findByText("Las contraseñas no coinciden")).toBeVisible();
  expect(confirmation).toHaveFocus();
  expect(bodies).toEqual([]);
});

test("passwords go as they are typed, blanks and all, and the notice stays five seconds", async () => {
  const { user, fill, current, next, confirmation } = await openPage();
  await fill(" Anterior 1 ", " Siguiente 2 ");
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  await user.keyboard("{Enter}");
  expect(await screen.findByText("Tu contraseña se cambió")).toBeVisible();
  expect(bodies).toEqual([{ currentPassword: " Anterior 1 ", newPassword: " Siguiente 2 " }]);
  for (const field of [current, next, confirmation]) {
    expect(field).toHaveValue("");
    expect(field).not.toHaveAttribute("aria-invalid");
  }
  await act(() => vi.advanceTimersByTimeAsync(4500));
  expect(screen.getByText("Tu contraseña se cambió")).toBeVisible();
  await act(() => vi.advanceTimersByTimeAsync(600));
  expect(screen.queryByText("Tu contraseña se cambió")).not.toBeInTheDocument();
});

test("a wrong current password is shown at its field, and ends no session", async () => {
  server.use(
    http.put(path, () =>
      problem(422, {
        code: "VALIDATION_FAILED",
        message: "Hay datos por corregir.",
        errors: [
          {
            field: "currentPassword",
            code: "WRONG_PASSWORD",
            message: "La contraseña actual no es correcta",
          },
        ],
      }),
    ),
  );
  const { user, fill, current, next, submit, address } = await openPage();
  await fill("Otra cosa 9", "Siguiente 2");
  await user.click(submit);
  expect(await screen.findByText("La contraseña actual no es correcta")).toBeVisible();
  expect(current).toHaveFocus();
  expect(current).toHaveAttribute("aria-invalid", "true");
  expect(screen.queryByText("Hay datos por corregir.")).not.toBeInTheDocument();
  expect(next).toHaveValue("Siguiente 2");
  expect(address()).toBe("/settings/change-password");
  expect(backend.user).not.toBeNull();
  await user.type(current, "x");
  expect(screen.queryByText("La contraseña actual no es correcta")).not.toBeInTheDocument();
});

test.each([
  ["the server's words", { message: "Demasiados intentos." }, "Demasiados intentos."],
  ["words of its own", {}, "Error al cambiar la contraseña. Inténtalo de nuevo."],
])("another failure is shown in %s", async (_name, body, message) => {
  server.use(http.put(path, () => problem(429, body)));
  const { user, fill, submit, next } = await openPage();
  await fill("Anterior 1", "Siguiente 2");
  await user.click(submit);
  expect(await screen.findByText(message)).toBeVisible();
  expect(screen.getByText("No se cambió la contraseña")).toBeVisible();
  expect(next).toHaveValue("Siguiente 2");
});

test("a change that the server did not confirm is not said to have failed", async () => {
  server.use(http.put(path, () => HttpResponse.error()));
  const { user, fill, submit, next } = await openPage();
  await fill("Anterior 1", "Siguiente 2");
  await user.click(submit);
  expect(await screen.findByText("No se sabe si tu contraseña se cambió")).toBeVisible();
  expect(screen.getByText(/prueba también con ella/)).toBeVisible();
  expect(screen.queryByText("No se cambió la contraseña")).not.toBeInTheDocument();
  expect(next).toHaveValue("Siguiente 2");
});

test("each password can be shown, and password managers can distinguish the fields", async () => {
  const { user, current, next, confirmation } = await openPage();
  expect(current).toHaveAttribute("type", "password");
  await user.click(screen.getByRole("button", { name: "Mostrar: Contraseña actual" }));
  expect(current).toHaveAttribute("type", "text");
  expect(next).toHaveAttribute("type", "password");
  await user.click(screen.getByRole("button", { name: "Ocultar: Contraseña actual" }));
  expect(current).toHaveAttribute("type", "password");
  expect([current, next, confirmation].map((field) => field.getAttribute("autocomplete"))).toEqual([
    "current-password",
    "new-password",
    "new-password",
  ]);
  expect(document.querySelector("input[autocomplete=username]")).toHaveValue("ana");
});

test("the page is in the user's menu, and speaks English too", async () => {
  const { user, address } = renderPage("/");
  await user.click(await screen.findByRole("button", { name: "Menú de ana" }));
  await user.click(await screen.findByRole("menuitem", { name: "Cambiar Contraseña" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Cambiar Contraseña" })).toBeVisible();
  expect(address()).toBe("/settings/change-password");
  await act(() => chooseLanguage("en"));
  await waitFor(() =>
    expect(screen.getByRole("heading", { level: 1, name: "Change password" })).toBeVisible(),
  );
});
