// The settings page: its tabs, the images, the settings and the messages.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../testing/backend";
import { pasteInto } from "../../testing/paste";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";
import { kept, sampleImage, sampleMessage, sampleSettings, setSettings } from "../../testing/settings";

function be(roleCode: string, permissions: string[] = []) {
  backend.user = { username: "ana", roleCode, roleName: "Mi rol", permissions };
}

beforeEach(() => {
  be("admin");
  setSettings();
});

test("four tabs, each with its address", async () => {
  const { user, address } = renderPage("/settings/general");
  expect(await screen.findByRole("heading", { level: 1, name: "CONFIGURACIÓN" })).toBeVisible();
  const tabs = screen.getAllByRole("tab");
  expect(tabs.map((tab) => tab.textContent)).toEqual([
    "Imágenes de fondo",
    "Control",
    "Mensajes alerta",
    "Renovaciones",
  ]);
  expect(tabs[0]).toHaveAttribute("aria-selected", "true");
  await user.click(screen.getByRole("tab", { name: "Mensajes alerta" }));
  expect(address()).toBe("/settings/general?tab=messages");
  expect(await screen.findByText(sampleMessage.message)).toBeVisible();
});

test("a tab, an entry, a page or an order of the address that there is not is left out", async () => {
  const requests: string[] = [];
  server.events.on("request:start", ({ request }) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith("/api/background-images")) requests.push(pathname + search);
  });
  const { address } = renderPage("/settings/general?tab=colours&edit=0&page=-1&size=9999&sort=title");
  expect(await screen.findByRole("heading", { name: "Dune" })).toBeVisible();
  expect(screen.getByRole("tab", { name: "Imágenes de fondo" })).toHaveAttribute("aria-selected", "true");
  expect(
    await screen.findByText(
      /esta página no tiene \(tab=colours, edit=0, page=-1, size=9999 y sort=title\)\. Se muestra sin ello\./,
    ),
  ).toBeVisible();
  expect(address()).toBe("/settings/general");
  expect(new Set(requests)).toEqual(new Set(["/api/background-images?_page=0&_size=10"]));
  server.events.removeAllListeners();
});

test("users who may only read see everything and cannot change it", async () => {
  be("contentManager", ["APP_SETTINGS_READ"]);
  const { user } = renderPage("/settings/general");
  expect(await screen.findByText("Puedes ver esta configuración, pero no cambiarla.")).toBeVisible();
  expect(await screen.findByRole("heading", { name: "Dune" })).toBeVisible();
  expect(screen.queryByRole("button", { name: /Añadir|Editar|Eliminar/ })).toBeNull();
  await user.click(screen.getByRole("tab", { name: "Control" }));
  expect(await screen.findByText("Elementos por página")).toBeVisible();
  expect(screen.getByText("50")).toBeVisible();
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("the address of a form opens none for users who may only read", async () => {
  be("contentManager", ["APP_SETTINGS_READ"]);
  renderPage("/settings/general?tab=messages&edit=1");
  expect(await screen.findByText(sampleMessage.message)).toBeVisible();
  expect(screen.queryByRole("textbox", { name: /Mensaje/ })).toBeNull();
});

test("users without permission are redirected to the home page", async () => {
  be("contentManager");
  const { address } = renderPage("/settings/general");
  await waitFor(() => expect(address()).toBe("/"));
});

describe("background images", () => {
  test("each is shown with what it announces", async () => {
    renderPage("/settings/general");
    const list = await screen.findByRole("list", { name: "Imágenes de fondo" });
    const card = within(list).getByRole("article");
    expect(within(card).getByRole("img")).toHaveAttribute("src", sampleImage.imageUrl);
    expect(card).toHaveTextContent("2024 · Ciencia ficción · 166 min · PG-13");
    expect(card).toHaveTextContent("Próximamente");
  });

  test("one is added, with a look at it before", async () => {
    const { user, address } = renderPage("/settings/general");
    await user.click(await screen.findByRole("button", { name: "Añadir imagen" }));
    expect(address()).toBe("/settings/general?edit=new");
    await user.type(await screen.findByRole("textbox", { name: /Título/ }), "Nosferatu");
    await user.type(screen.getByRole("textbox", { name: /Año/ }), "2024");
    await pasteInto(user, screen.getByRole("textbox", { name: /URL/ }), "https://images.example.com/n.jpg");
    const preview = screen.getByRole("figure");
    expect(await within(preview).findByRole("img")).toHaveAttribute(
      "src",
      "https://images.example.com/n.jpg",
    );
    await user.click(screen.getByRole("button", { name: "Añadir imagen" }));
    expect(await screen.findByRole("heading", { name: "Nosferatu" })).toBeVisible();
    expect(address()).toBe("/settings/general");
    expect(backend.bodies.at(-1)).toEqual({
      type: "estreno",
      title: "Nosferatu",
      year: 2024,
      genre: null,
      duration: null,
      classification: null,
      isKidsMode: false,
      imageUrl: "https://images.example.com/n.jpg",
    });
  });

  test("errors are shown at the field, and nothing is sent", async () => {
    const { user } = renderPage("/settings/general?edit=new");
    await user.click(await screen.findByRole("button", { name: "Añadir imagen" }));
    expect(await screen.findByText("Escribe la URL de la imagen")).toBeVisible();
    expect(screen.getByRole("textbox", { name: /Título/ })).toHaveAccessibleDescription(
      "Este campo es obligatorio",
    );
    expect(sent("POST /api/background-images")).toEqual([]);
  });

  test("one is changed over the version that was read", async () => {
    const { user } = renderPage("/settings/general");
    await user.click(await screen.findByRole("button", { name: "Editar «Dune»" }));
    const title = await screen.findByRole("textbox", { name: /Título/ });
    await user.clear(title);
    await user.type(title, "Dune: parte dos");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByRole("heading", { name: "Dune: parte dos" })).toBeVisible();
    expect(sent("PUT")).toEqual(["PUT /api/background-images/1"]);
  });

  test("leaving one leads back to the list as it was searched", async () => {
    const { user, address } = renderPage("/settings/general?search=dune&edit=1");
    await user.click(await screen.findByRole("button", { name: "Cancelar" }));
    expect(address()).toBe("/settings/general?search=dune");
  });

  test("one that another user deleted meanwhile can be created again", async () => {
    const { user } = renderPage("/settings/general");
    await user.click(await screen.findByRole("button", { name: "Editar «Dune»" }));
    const title = await screen.findByRole("textbox", { name: /Título/ });
    backend.tables["background-images"] = [];
    await user.type(title, " II");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    const question = await screen.findByRole("dialog", { name: "Alguien lo ha eliminado" });
    expect(question).toHaveTextContent("«Dune» ya no existe.");
    await user.click(within(question).getByRole("button", { name: "Crear de nuevo" }));
    expect(await screen.findByRole("heading", { name: "Dune II" })).toBeVisible();
    expect(sent("POST /api/background-images")).toHaveLength(1);
  });

  test("one is deleted after a question that names it", async () => {
    const { user } = renderPage("/settings/general");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Dune»" }));
    const question = await screen.findByRole("dialog", { name: "¿Eliminar esta imagen de fondo?" });
    expect(question).toHaveTextContent("«Dune» dejará de verse en la app.");
    await user.click(within(question).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText("Todavía no hay imágenes de fondo.")).toBeVisible();
  });

  test("a failed deletion is shown", async () => {
    server.use(
      http.delete("/api/background-images/1", () => problem(503, { code: "UNAVAILABLE", message: "x" })),
    );
    const { user } = renderPage("/settings/general");
    await user.click(await screen.findByRole("button", { name: "Eliminar «Dune»" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Eliminar" }));
    expect(await screen.findByText("La imagen de fondo no se ha eliminado")).toBeVisible();
  });

  test("a deleted one is reported, with a link to the list", async () => {
    const { user, address } = renderPage("/settings/general?edit=99");
    expect(await screen.findByText("Error al cargar la imagen de fondo")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Volver a la lista" }));
    expect(address()).toBe("/settings/general");
  });

  test("a list that fails can be tried again", async () => {
    server.use(
      http.get("/api/background-images", () => problem(400, { message: "Algo va mal." }), { once: true }),
    );
    const { user } = renderPage("/settings/general");
    expect(await screen.findByText("Algo va mal.")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Reintentar" }));
    expect(await screen.findByRole("heading", { name: "Dune" })).toBeVisible();
  });
});

describe("alert messages", () => {
  test("count their characters, there and while they are written", async () => {
    const { user } = renderPage("/settings/general?tab=messages");
    expect(await screen.findByText("42 de 150 caracteres")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Añadir mensaje" }));
    const message = await screen.findByRole("textbox", { name: /Mensaje/ });
    expect(message).toHaveAccessibleDescription("0 de 150 caracteres");
    await user.type(message, "Hola");
    expect(message).toHaveAccessibleDescription("4 de 150 caracteres");
    await user.click(screen.getByRole("button", { name: "Añadir mensaje" }));
    expect(await screen.findByText("Hola")).toBeVisible();
    expect(backend.bodies.at(-1)).toEqual({ message: "Hola" });
  });

  test("of blanks or of more than 150 characters are not sent", async () => {
    const { user } = renderPage("/settings/general?tab=messages&edit=new");
    const message = await screen.findByRole("textbox", { name: /Mensaje/ });
    await user.type(message, "   ");
    await user.click(screen.getByRole("button", { name: "Añadir mensaje" }));
    expect(await screen.findByText("Escribe el mensaje")).toBeVisible();
    await user.clear(message);
    await user.click(message);
    await user.paste("ñ".repeat(151));
    expect(await screen.findByText("No puede superar los 150 caracteres")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Añadir mensaje" }));
    expect(sent("POST /api/alert-messages")).toEqual([]);
  });

  test("leaving one half written requests once", async () => {
    const { user, address } = renderPage("/settings/general?tab=messages&edit=new");
    await user.type(await screen.findByRole("textbox", { name: /Mensaje/ }), "Hola");
    await user.click(screen.getByRole("tab", { name: "Control" }));
    const question = await screen.findByRole("dialog");
    await user.click(within(question).getByRole("button", { name: "Seguir editando" }));
    expect(address()).toBe("/settings/general?tab=messages&edit=new");
    expect(screen.getByRole("textbox", { name: /Mensaje/ })).toHaveValue("Hola");
  });
});

describe("control", () => {
  const open = async () => {
    const page = renderPage("/settings/general?tab=control");
    await screen.findByRole("textbox", { name: /Precio mensual/ });
    return page;
  };

  test("begins with what is set, and saves all of it over the version that was read", async () => {
    const { user } = await open();
    expect(screen.getByRole("textbox", { name: /Elementos por página/ })).toHaveValue("50");
    expect(screen.getByRole("checkbox", { name: "Meses" })).toBeChecked();
    expect(screen.getByRole("checkbox", { name: "Años" })).not.toBeChecked();
    const price = screen.getByRole("textbox", { name: /Precio mensual/ });
    await user.clear(price);
    await user.type(price, "9,99");
    await user.click(screen.getByRole("checkbox", { name: "Años" }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByText("Configuración guardada")).toBeVisible();
    expect(backend.bodies.at(-1)).toEqual({
      itemsPerPage: 50,
      monthlyCreditsPrice: 9.99,
      annualCreditsPrice: 0,
      allowedPeriods: { months: true, years: true },
      maxTransactionsPerAgent: 12,
    });
    // And once more, over the version that this made.
    await user.click(screen.getByRole("checkbox", { name: "Meses" }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(kept.settings.version).toBe(3));
  });

  test("text typed during a save stays, and is saved by the next one", async () => {
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    server.use(http.put("/api/app-settings", () => held.then(() => undefined), { once: true }));
    const { user } = await open();
    const price = screen.getByRole("textbox", { name: /Precio mensual/ });
    const save = screen.getByRole("button", { name: "Guardar cambios" });
    await user.clear(price);
    await user.type(price, "9,5");
    await user.click(save);
    await user.clear(price);
    await user.type(price, "12");
    answer();
    expect(await screen.findByText("Configuración guardada")).toBeVisible();
    expect(kept.settings.monthlyCreditsPrice).toBe(9.5);
    expect(price).toHaveValue("12");
    await waitFor(() => expect(save).toBeEnabled());
    await user.click(save);
    await waitFor(() => expect(kept.settings.monthlyCreditsPrice).toBe(12));
  });

  test("cancelling goes back to what was saved", async () => {
    const { user } = await open();
    const price = screen.getByRole("textbox", { name: /Precio anual/ });
    await user.clear(price);
    await user.type(price, "50");
    await user.click(screen.getByRole("button", { name: "Cancelar" }));
    expect(price).toHaveValue("0");
    expect(sent("PUT")).toEqual([]);
  });

  test("values out of bounds are reported before sending", async () => {
    const { user } = await open();
    const items = screen.getByRole("textbox", { name: /Elementos por página/ });
    await user.clear(items);
    await user.type(items, "1001");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByText("No puede exceder 1000")).toBeVisible();
    expect(sent("PUT")).toEqual([]);
  });

  test("another user's change of another field is kept beside one's own change", async () => {
    const { user } = await open();
    kept.settings = { ...sampleSettings, itemsPerPage: 20, version: 2 };
    await user.click(screen.getByRole("checkbox", { name: "Años" }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await waitFor(() => expect(kept.settings.version).toBe(3));
    expect(kept.settings).toMatchObject({ itemsPerPage: 20, allowedPeriods: { months: true, years: true } });
  });

  test("what both changed is chosen field by field", async () => {
    const { user } = await open();
    kept.settings = { ...sampleSettings, allowedPeriods: { months: false, years: false }, version: 2 };
    await user.click(screen.getByRole("checkbox", { name: "Años" }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: /^Guardar/ }));
    await waitFor(() => expect(kept.settings.version).toBe(3));
    expect(kept.settings.allowedPeriods).toEqual({ months: true, years: true });
  });

  test("settings that can't be loaded can be requested again", async () => {
    server.use(http.get("/api/app-settings", () => problem(400, { message: "Ahora no." }), { once: true }));
    const { user } = renderPage("/settings/general?tab=control");
    expect(await screen.findByText("Error al cargar la configuración")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Reintentar" }));
    expect(await screen.findByRole("textbox", { name: /Precio mensual/ })).toBeVisible();
  });

  test("a refusal of the server is shown in the form", async () => {
    server.use(
      http.put("/api/app-settings", () => HttpResponse.json({ message: "No se pudo." }, { status: 409 })),
    );
    const { user } = await open();
    await user.click(screen.getByRole("checkbox", { name: "Años" }));
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    expect(await screen.findByText("No se pudo.")).toBeVisible();
    expect(screen.getByRole("checkbox", { name: "Años" })).toBeChecked();
  });
});

test("messages to customers are written in both languages", async () => {
  backend.tables["renewal-messages"] = [];
  const { user, address } = renderPage("/settings/general?tab=renewals");
  await user.click(await screen.findByRole("button", { name: "Añadir mensaje" }));
  expect(await screen.findByText(/En los textos puedes usar \{name\}/)).toBeVisible();
  await user.type(await screen.findByLabelText(/^Nombre/), "Último aviso");
  fireEvent.change(screen.getByLabelText(/^Texto en español/), { target: { value: "Hola, {name}" } });
  fireEvent.change(screen.getByLabelText(/^Texto en inglés/), { target: { value: "Hello, {name}" } });
  await user.click(screen.getByRole("button", { name: "Añadir mensaje" }));
  await waitFor(() => expect(address()).toBe("/settings/general?tab=renewals"));
  const entry = within(await screen.findByRole("listitem"));
  expect(entry.getByText("Hola, {name}")).toBeVisible();
  expect(entry.getByText("Hello, {name}")).toBeVisible();
  expect(entry.getByRole("button", { name: "Editar «Último aviso»" })).toBeVisible();
});
