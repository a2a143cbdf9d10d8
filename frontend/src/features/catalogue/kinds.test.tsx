// The kinds of content without a look-up: what each list shows, what each form sends, and what only some of them have.
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../testing/backend";
import { cases, choose, labelled, link, serveKinds } from "../../testing/kindCases";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(serveKinds);

async function addLink(user: UserEvent) {
  await user.click(screen.getByRole("button", { name: "Añadir enlace" }));
  const dialog = await screen.findByRole("dialog", { name: "Añadir enlace" });
  fireEvent.change(within(dialog).getByLabelText(labelled("URL")), { target: { value: link.url } });
  await user.click(within(dialog).getByRole("combobox", { name: labelled("Idiomas de audio") }));
  await user.click(await screen.findByRole("option", { name: "Español" }));
  await user.click(within(dialog).getByRole("button", { name: "Añadir" }));
  await screen.findByText(link.url);
}

describe.each(cases)("$kind", (one) => {
  const { kind, route, name } = one;

  test("the list has the columns of the specification, in Spanish", async () => {
    renderPage(`/content/${route}`);
    expect(await screen.findByRole("heading", { level: 1, name: one.heading })).toBeVisible();
    const row = (await screen.findByText(name)).closest("tr") as HTMLElement;
    for (const text of one.says) expect(within(row).getByText(text)).toBeInTheDocument();
    const headers = screen.getAllByRole("columnheader").map((header) => header.textContent);
    expect(headers).toEqual(["", ...one.columns, "Acciones"]);
    expect(within(row).getByRole("link", { name })).toHaveAttribute("href", `/content/${route}/1/edit`);
    const size = kind === "sports" ? 25 : 10;
    expect(sent(`GET /api/${kind}?`)[0]).toContain(`_size=${size}`);
  });

  test("creating sends what was written and goes back to the list", async () => {
    const { user, address } = renderPage(`/content/${route}/create`);
    await screen.findByLabelText(labelled(one.texts[0]?.[0] ?? ""));
    if (one.hasLinks) fireEvent.change(screen.getByLabelText(/^Año/), { target: { value: "2024" } });
    for (const [label, value] of one.texts)
      fireEvent.change(await screen.findByLabelText(labelled(label)), { target: { value } });
    for (const [label, option] of one.choices) await choose(user, label, option);
    if (one.hasLinks) await addLink(user);
    await user.click(screen.getByRole("button", { name: one.create }));
    expect(await screen.findByText(kind === "sports" ? "Hecho" : "Se creó «Prueba»")).toBeVisible();
    await waitFor(() => expect(address()).toBe(`/content/${route}`));
    const [body] = backend.bodies.slice(-1);
    expect(body).toEqual({
      ...one.body,
      ...(one.hasLinks && { links: [expect.objectContaining({ ...link, id: expect.any(String) })] }),
    });
  });

  test("editing sends the version, and errors of the server are at their fields", async () => {
    let version: string | null = null;
    server.use(
      http.put(
        `/api/${kind}/:id`,
        ({ request }) => {
          version = request.headers.get("if-match");
          const [field] = one.culprit;
          const errors = [{ field, code: "OWN_RULE", message: "Así no." }];
          return problem(422, { code: "VALIDATION_FAILED", message: "Hay datos por corregir.", errors });
        },
        { once: true },
      ),
    );
    const { user, address } = renderPage(`/content/${route}/1/edit`);
    const save = await screen.findByRole("button", { name: "Guardar cambios" });
    await user.click(save);
    const culprit = await screen.findByLabelText(labelled(one.culprit[1]));
    await waitFor(() => expect(culprit).toHaveAccessibleDescription(/Así no\./));
    expect(screen.getByText("Hay datos por corregir.")).toBeVisible();
    expect(version).toBe('"3"');
    await user.click(save);
    expect(await screen.findByText(kind === "sports" ? "Hecho" : `Se guardó «${name}»`)).toBeVisible();
    await waitFor(() => expect(address()).toBe(`/content/${route}`));
  });

  test("an item that does not exist is reported, with a link to the list", async () => {
    renderPage(`/content/${route}/99/edit`);
    expect(await screen.findByText(one.missing)).toBeVisible();
    expect(screen.getByRole("link", { name: `Volver a ${one.heading}` })).toHaveAttribute(
      "href",
      `/content/${route}`,
    );
  });
});

describe("row actions", () => {
  test.each(["tv-guide", "tv-channels", "radio-stations"])(
    "%s are turned off and on in their row",
    async (route) => {
      const { user } = renderPage(`/content/${route}`);
      const control = await screen.findByRole("switch");
      expect(control).toBeChecked();
      await user.click(control);
      await waitFor(() => expect(screen.getByRole("switch")).not.toBeChecked());
      await waitFor(() => expect(backend.bodies).toContainEqual({ active: false }));
    },
  );

  test("three are in the row; deleting needs a confirmation", async () => {
    const { user } = renderPage("/content/concerts");
    expect(await screen.findByRole("link", { name: "Ver «Gira»" })).toHaveAttribute(
      "href",
      "/content/concerts/1",
    );
    await user.click(screen.getByRole("button", { name: "Eliminar «Gira»" }));
    const dialog = await screen.findByRole("dialog", {
      name: "¿Seguro que quieres eliminar este concierto?",
    });
    expect(dialog).toHaveTextContent("Se eliminará «Gira» con 1 enlace.");
  });

  test("a documentary opens its own page", async () => {
    const { user } = renderPage("/content/documentaries");
    await user.click(await screen.findByRole("link", { name: "Ver «Volcanes»" }));
    expect(await screen.findByRole("heading", { level: 1, name: "Detalles del documental" })).toBeVisible();
    expect(await screen.findByText("Ciencia")).toBeVisible();
    expect(screen.getByText(link.url)).toBeVisible();
  });
});

test("a documentary has its own messages about bounds", async () => {
  const { user } = renderPage("/content/documentaries/1/edit");
  const year = await screen.findByLabelText(/^Año/);
  for (const [value, text] of [
    ["1899", "Año debe ser al menos 1900"],
    ["2101", "Año no puede exceder 2100"],
  ] as const) {
    await user.clear(year);
    await user.type(year, value);
    await user.tab();
    expect(year).toHaveAccessibleDescription(new RegExp(text));
  }
});

test("a new documentary is for everybody, and needs a category", async () => {
  const { user } = renderPage("/content/documentaries/create");
  expect(await screen.findByRole("combobox", { name: /^Clasificación/ })).toHaveValue(
    "G: todos los públicos",
  );
  await user.click(screen.getByRole("button", { name: "Crear documental" }));
  expect(await screen.findByText("Categoría es requerida")).toBeVisible();
});

test("a concert has no trailer", async () => {
  renderPage("/content/concerts/1/edit");
  await screen.findByLabelText(/^Título/);
  expect(screen.queryByLabelText(/tráiler/)).not.toBeInTheDocument();
  expect(screen.getByText("La imagen de fondo se verá aquí.")).toBeVisible();
});

describe("the preview of a sport", () => {
  beforeEach(() => {
    Object.assign(backend.tables.sports?.[0] ?? {}, {
      trailerUrl: "https://cdn.example.com/t.mp4",
      backgroundImageUrl: "https://images.example.com/b.jpg",
    });
  });

  test("plays where it is, in the corner and over everything, without starting again", async () => {
    const { user } = renderPage("/content/sports/1/edit");
    await user.click(await screen.findByRole("button", { name: "Reproducir aquí" }));
    const player = screen.getByLabelText("Tráiler", { selector: "video" });
    const frame = player.closest("section") as HTMLElement;
    expect(frame).toHaveAttribute("data-mode", "inline");
    await user.click(within(frame).getByRole("button", { name: "Minimizar" }));
    expect(frame).toHaveAttribute("data-mode", "small");
    await user.click(within(frame).getByRole("button", { name: "Maximizar" }));
    expect(frame).toHaveAttribute("data-mode", "large");
    expect(frame).toHaveAttribute("role", "dialog");
    await user.keyboard("{Escape}");
    expect(frame).toHaveAttribute("data-mode", "inline");
    expect(screen.getByLabelText("Tráiler", { selector: "video" })).toBe(player);
    const open = within(frame).getByRole("link", { name: "Abrir en otra pestaña" });
    expect(open).toHaveAttribute("href", "https://cdn.example.com/t.mp4");
    expect(open).toHaveAttribute("target", "_blank");
    await user.click(within(frame).getByRole("button", { name: "Cerrar la vista previa" }));
    expect(screen.queryByLabelText("Tráiler", { selector: "video" })).not.toBeInTheDocument();
  });

  test("only one is out of its place at a time", async () => {
    const { user } = renderPage("/content/sports/1/edit");
    const picture = (await screen.findByAltText("Imagen de fondo")).closest("section") as HTMLElement;
    await user.click(within(picture).getByRole("button", { name: "Minimizar" }));
    await user.click(screen.getByRole("button", { name: "Reproducir aquí" }));
    const player = screen.getByRole("region", { name: "Tráiler" });
    await user.click(within(player).getByRole("button", { name: "Minimizar" }));
    expect(player).toHaveAttribute("data-mode", "small");
    expect(picture).toHaveAttribute("data-mode", "inline");
  });
});
