// The base URL of channels and of radio stations, above their lists.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem, sent } from "../../testing/backend";
import { serveKinds } from "../../testing/kindCases";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { server } from "../../testing/server";

beforeEach(serveKinds);

describe.each([
  {
    route: "tv-channels",
    at: "/api/channels-base-url",
    key: "channelsBaseUrl",
    title: "URL base de los canales",
    failed: { es: "Error al cargar la URL base de los canales", en: "Failed to load channels base URL" },
    word: "TVCHANNEL",
  },
  {
    route: "radio-stations",
    at: "/api/radio-stations-base-url",
    key: "radioStationsBaseUrl",
    title: "URL base de las estaciones de radio",
    failed: {
      es: "Error al cargar la URL base de las estaciones de radio",
      en: "Failed to load radio stations base URL",
    },
    word: "RADIOSTATION",
  },
])("the base URL of $route", ({ route, at, key, title, failed, word }) => {
  let base: string | null;
  beforeEach(() => {
    base = "https://old.example.com/";
    const answer = () => HttpResponse.json({ [key]: base, baseUrl: base });
    server.use(
      http.get(at, answer),
      http.put(at, async ({ request }) => {
        base = ((await request.json()) as { baseUrl: string }).baseUrl || null;
        return answer();
      }),
    );
  });
  const open = async () => {
    const opened = renderPage(`/content/${route}`);
    const panel = await screen.findByRole("region", { name: title });
    return { ...opened, panel };
  };

  test("is shown, edited and saved; the notice goes after three seconds", async () => {
    const { panel, user } = await open();
    expect(await within(panel).findByText("https://old.example.com/")).toBeVisible();
    await user.click(within(panel).getByRole("button", { name: "Editar URL base" }));
    const field = within(panel).getByRole("textbox", { name: title });
    expect(field).toHaveValue("https://old.example.com/");
    expect(field).toHaveFocus();
    fireEvent.change(field, { target: { value: " https://new.example.com/ " } });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    fireEvent.click(within(panel).getByRole("button", { name: "Guardar" }));
    expect(await within(panel).findByText("URL base guardada")).toBeVisible();
    expect(within(panel).getByText("https://new.example.com/")).toBeVisible();
    act(() => void vi.advanceTimersByTime(2500));
    expect(within(panel).getByText("URL base guardada")).toBeVisible();
    act(() => void vi.advanceTimersByTime(1000));
    expect(within(panel).queryByText("URL base guardada")).not.toBeInTheDocument();
    expect(base).toBe("https://new.example.com/");
  });

  test("what is typed while it is being saved stays", async () => {
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    server.use(http.put(at, () => held.then(() => undefined)));
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    const field = within(panel).getByRole("textbox", { name: title });
    await user.type(field, "a");
    await user.click(within(panel).getByRole("button", { name: "Guardar" }));
    await user.type(field, "b");
    answer();
    await waitFor(() => expect(base).toBe("https://old.example.com/a"));
    await waitFor(() => expect(within(panel).getByRole("button", { name: "Guardar" })).toBeEnabled());
    expect(within(panel).getByRole("textbox", { name: title })).toHaveValue("https://old.example.com/ab");
  });

  test("cancelling restores it", async () => {
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    await user.type(within(panel).getByRole("textbox", { name: title }), "x");
    await user.click(within(panel).getByRole("button", { name: "Cancelar" }));
    expect(within(panel).getByText("https://old.example.com/")).toBeVisible();
    expect(sent("PUT")).toEqual([]);
  });

  test("Escape closes an unchanged value at once, and asks before what was typed is lost", async () => {
    const { panel, user } = await open();
    const edit = async () => {
      await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
      return within(panel).getByRole("textbox", { name: title });
    };
    await edit();
    await user.keyboard("{Escape}");
    expect(within(panel).queryByRole("textbox")).not.toBeInTheDocument();
    const field = await edit();
    await user.type(field, "x{Escape}");
    const question = await screen.findByRole("dialog", { name: "¿Salir sin guardar?" });
    await user.click(within(question).getByRole("button", { name: "Seguir editando" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    expect(field).toHaveValue("https://old.example.com/x");
    await user.type(field, "{Escape}");
    await user.click(await screen.findByRole("button", { name: "Salir sin guardar" }));
    await waitFor(() => expect(within(panel).queryByRole("textbox")).not.toBeInTheDocument());
    expect(within(panel).getByText("https://old.example.com/")).toBeVisible();
    expect(sent("PUT")).toEqual([]);
  });

  test("a refusal is shown with the server's reason, and entering again begins clean", async () => {
    server.use(http.put(at, () => problem(422, { message: "Esa URL no vale." })));
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    await user.click(within(panel).getByRole("button", { name: "Guardar" }));
    expect(await within(panel).findByText("Esa URL no vale.")).toBeVisible();
    await user.click(within(panel).getByRole("button", { name: "Cancelar" }));
    await user.click(within(panel).getByRole("button", { name: "Editar URL base" }));
    expect(within(panel).queryByText("Esa URL no vale.")).not.toBeInTheDocument();
  });

  test("an empty field clears it", async () => {
    const { panel, user } = await open();
    await user.click(await within(panel).findByRole("button", { name: "Editar URL base" }));
    await user.clear(within(panel).getByRole("textbox", { name: title }));
    await user.click(within(panel).getByRole("button", { name: "Guardar" }));
    expect(await within(panel).findByText("Sin configurar")).toBeVisible();
    expect(base).toBeNull();
  });

  test("none is said", async () => {
    base = null;
    const { panel } = await open();
    expect(await within(panel).findByText("Sin configurar")).toBeVisible();
  });

  test("users who may only read cannot edit it", async () => {
    backend.user = { ...sampleCurrentUser, permissions: [`${word}_READ`] };
    const { panel } = await open();
    expect(await within(panel).findByText("https://old.example.com/")).toBeVisible();
    expect(within(panel).queryByRole("button")).not.toBeInTheDocument();
  });

  test("a failure to load is shown, in both languages", async () => {
    server.use(http.get(at, () => problem(403, { message: "Hoy no." })));
    const { panel } = await open();
    expect(await within(panel).findByText(failed.es)).toBeVisible();
    await act(() => chooseLanguage("en"));
    expect(await screen.findByText(failed.en)).toBeVisible();
  });
});
