// What only channels and radio stations have: addresses of two types, numbers, guides, logos.
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { backend, problem, sent } from "../../testing/backend";
import { choose, serveKinds } from "../../testing/kindCases";
import { renderPage } from "../../testing/render";
import { server } from "../../testing/server";

beforeEach(serveKinds);

describe("channels", () => {
  test("an internal one takes a number, an external one an address, each with its own message", async () => {
    server.use(
      http.get("/api/channels-base-url", () => HttpResponse.json({ baseUrl: "https://live.example.com/tv" })),
    );
    const { user } = renderPage("/content/tv-channels/1/edit");
    const url = await screen.findByLabelText(/^URL de la señal/);
    await user.clear(url);
    await user.type(url, "siete");
    await user.tab();
    expect(url).toHaveAccessibleDescription(/La URL no es válida/);
    await user.clear(url);
    await user.type(url, "ftp://live.example.com/7");
    expect(url).toHaveAccessibleDescription(/debe empezar por/);

    await choose(user, "Tipo de dirección", "Interna");
    const id = await screen.findByLabelText(/^ID numérico del canal/);
    expect(id).toHaveValue("");
    await user.type(id, "10a");
    await user.tab();
    expect(id).toHaveAccessibleDescription(/Un canal interno lleva un ID numérico/);
    await user.clear(id);
    await user.type(id, "103451");
    expect(id).toBeValid();
    expect(await screen.findByText("https://live.example.com/tv/103451")).toBeVisible();

    await choose(user, "Tipo de dirección", "Externa");
    expect(await screen.findByLabelText(/^URL de la señal/)).toHaveValue("ftp://live.example.com/7");
  });

  test("a number in use is a warning, no error", async () => {
    const { user } = renderPage("/content/tv-channels/create");
    await user.type(await screen.findByLabelText(/^Número/), "7");
    const twin = await screen.findByRole("link", { name: "Canal Siete" });
    expect(twin.closest("output")).toHaveTextContent(/^El número 7 ya lo usa «Canal Siete»/);
    expect(screen.getByLabelText(/^Número/)).toBeValid();
  });

  test("its own number is no repetition", async () => {
    const { idle } = renderPage("/content/tv-channels/1/edit");
    await screen.findByLabelText(/^Número/);
    await waitFor(() =>
      expect(sent("GET /api/tv-channels?").some((call) => call.includes("channelNumber=7"))).toBe(true),
    );
    await idle();
    expect(screen.queryByText(/ya lo usa/)).not.toBeInTheDocument();
  });

  test("guide health, which was read before, is read again after another guide id and after a status", async () => {
    const coverage = { percent: 100, gaps: 0, overlaps: 0, placeholders: 0 };
    let reads = 0;
    server.use(
      http.get("/api/guide-health", () => {
        reads += 1;
        return HttpResponse.json({
          channels: 1,
          day: coverage,
          threeDays: coverage,
          guides: [],
          without: [],
        });
      }),
    );
    const { user, router } = renderPage("/content/guide-health");
    await screen.findByText("Canales activos");
    await act(() => router.navigate("/content/tv-channels/1/edit"));
    await user.type(await screen.findByRole("textbox", { name: /EPG/ }), "siete.es");
    await user.click(screen.getByRole("button", { name: "Guardar cambios" }));
    await screen.findByText("Canal Siete");
    await act(() => router.navigate("/content/guide-health"));
    await waitFor(() => expect(reads).toBe(2));
    await act(() => router.navigate("/content/tv-channels"));
    await user.click(await screen.findByRole("switch", { name: /Canal Siete/ }));
    await waitFor(() => expect(sent("PATCH /api/tv-channels/1/status")).toHaveLength(1));
    await act(() => router.navigate("/content/guide-health"));
    await waitFor(() => expect(reads).toBe(3));
  });

  test("the form of a channel that was deleted meanwhile is not opened with what was read before", async () => {
    const { router } = renderPage("/content/tv-channels/1/edit");
    await screen.findByLabelText(/^Número/);
    await act(() => router.navigate("/settings/sessions"));
    await waitFor(() => expect(screen.queryByLabelText(/^Número/)).toBeNull());
    server.use(http.get("/api/tv-channels/1", () => problem(404, { code: "NOT_FOUND" })));
    await act(() => router.navigate("/content/tv-channels/1/edit"));
    expect(await screen.findByText("El contenido no fue encontrado")).toBeVisible();
    expect(screen.queryByLabelText(/^Número/)).not.toBeInTheDocument();
  });

  test("the list can be narrowed to repeated numbers", async () => {
    const { user, address } = renderPage("/content/tv-channels");
    await screen.findByText("Canal Siete");
    await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
    await user.click(await screen.findByRole("menuitem", { name: "Número repetido" }));
    await user.selectOptions(screen.getByLabelText("Número repetido"), "true");
    await waitFor(() => expect(address()).toBe("/content/tv-channels?duplicated=true"));
    await waitFor(() => expect(backend.requests.some((call) => call.includes("duplicated=true"))).toBe(true));
  });

  test("the list can be narrowed to channels with a repeated address", async () => {
    const { user, address } = renderPage("/content/tv-channels");
    await screen.findByText("Canal Siete");
    await user.click(screen.getByRole("button", { name: "Añadir filtro" }));
    await user.click(await screen.findByRole("menuitem", { name: "Dirección repetida" }));
    await user.selectOptions(screen.getByLabelText("Dirección repetida"), "true");
    await waitFor(() => expect(address()).toBe("/content/tv-channels?sameAddress=true"));
  });

  test("guides that cannot be loaded say so in the field", async () => {
    server.use(http.get("/api/tv-guides", () => problem(403, {})));
    renderPage("/content/tv-channels/1/edit");
    const guide = await screen.findByRole("combobox", { name: /^Guía de TV/ });
    await waitFor(() => expect(guide).toHaveAccessibleDescription(/Error al cargar opciones/));
  });

  test("no guides are said in the field", async () => {
    backend.tables["tv-guides"] = [];
    renderPage("/content/tv-channels/1/edit");
    expect(await screen.findByPlaceholderText("No hay opciones disponibles")).toBeVisible();
    expect(sent("GET /api/tv-guides?")[0]).toContain("_size=1000");
  });
});

describe("radio stations", () => {
  test("a station without a country has a quiet dash", async () => {
    Object.assign(backend.tables["radio-stations"]?.[0] ?? {}, { country: "", genres: ["POP"] });
    renderPage("/content/radio-stations");
    const row = (await screen.findByText("Radio Uno")).closest("tr") as HTMLElement;
    expect(within(row).getByText("Sin valor")).toBeInTheDocument();
    expect(within(row).queryByText(/^\+/)).not.toBeInTheDocument();
  });

  test("missing fields are reported with the server's texts", async () => {
    const { user } = renderPage("/content/radio-stations/create");
    await user.click(await screen.findByRole("button", { name: "Crear estación de radio" }));
    expect(await screen.findByText("El código es requerido")).toBeVisible();
    expect(screen.getByText("La URL de la transmisión es requerida")).toBeVisible();
  });

  test("the logo is seen while its address is typed, and a picture stands in for one that fails", async () => {
    renderPage("/content/radio-stations/1/edit");
    const field = await screen.findByLabelText(/^URL del logo/);
    fireEvent.change(field, { target: { value: "https://images.example.com/r.png" } });
    const section = screen.getByRole("region", { name: "Logo" });
    await waitFor(() =>
      expect(section.querySelector("img")).toHaveAttribute("src", "https://images.example.com/r.png"),
    );
    fireEvent.error(section.querySelector("img") as HTMLElement);
    expect(section.querySelector("img")).not.toBeInTheDocument();
    expect(section.querySelector(".cover svg")).toBeInTheDocument();
  });
});
