// The audit log: what each entry is about has a name, also where only an export of it is recorded.
import { readFileSync } from "node:fs";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { chooseLanguage } from "../../i18n";
import { backend, problem } from "../../testing/backend";
import { renderPage } from "../../testing/render";
import { sampleCurrentUser } from "../../testing/samples";
import { server } from "../../testing/server";

interface Parameter {
  name: string;
  schema: { enum: string[] };
}

/** Everything that the audit log has entries about, as the API says it. */
function resources(): string[] {
  const { paths } = JSON.parse(readFileSync("../docs/openapi.json", "utf8"));
  const parameters: Parameter[] = paths["/api/audit"].get.parameters;
  const lists = Object.keys(paths).flatMap((path) => path.match(/^\/api\/spreadsheets\/([^/]+)$/)?.[1] ?? []);
  expect(lists).toContain("webhook-deliveries");
  const all = parameters.find(({ name }) => name === "resource")?.schema.enum ?? [];
  expect(all).toEqual(expect.arrayContaining(lists));
  return all;
}

const exported = (resource: string, index: number) => ({
  id: index + 1,
  occurredAt: "2026-11-20T10:00:00Z",
  actor: "root",
  source: "REQUEST",
  address: "192.0.2.1",
  operationId: null,
  action: "EXPORTED",
  resource,
  item: "",
  title: "",
  version: null,
  before: {},
  after: { rows: 1 },
});

test.each(["es", "en"] as const)(
  "every resource has a name and can be filtered by (%s)",
  async (language) => {
    await chooseLanguage(language);
    backend.user = { ...sampleCurrentUser, roleCode: "admin" };
    const content = resources().map(exported);
    server.use(
      http.get("/api/audit", () =>
        HttpResponse.json({
          content,
          page: 0,
          size: 100,
          totalPages: 1,
          totalElements: content.length,
        }),
      ),
    );
    renderPage("/audit?resource=trash");
    const filter = await screen.findByRole("combobox", { name: /^(Tipo|Type|Kind)/ });
    await waitFor(() =>
      expect(screen.getAllByText(/^(Exportado|Exported)$/).length).toBeGreaterThanOrEqual(content.length),
    );
    expect(screen.queryAllByText(/history\.audit\./)).toEqual([]);
    const values = within(filter)
      .getAllByRole("option")
      .map((option) => (option as HTMLOptionElement).value)
      .filter(Boolean);
    expect(values.toSorted()).toEqual(resources().toSorted());
  },
);

test("an invalid day in the address is reported, and the list is shown without it", async () => {
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  server.use(
    http.get("/api/audit", ({ request }) =>
      new URL(request.url).searchParams.has("to")
        ? problem(422, { code: "VALIDATION_FAILED" })
        : HttpResponse.json({
            content: [exported("movies", 0)],
            page: 0,
            size: 25,
            totalPages: 1,
            totalElements: 1,
          }),
    ),
  );
  const { address } = renderPage("/audit?from=2026-11-01&to=2026-99-99");
  expect(await screen.findByText(/lista no tiene \(to=2026-99-99\)\. Se muestra sin ello\./)).toBeVisible();
  expect(await screen.findByText("Exportado")).toBeVisible();
  expect(address()).toBe("/audit?from=2026-11-01");
});

test("a search that cannot be a username finds nothing and sends no request", async () => {
  await chooseLanguage("es");
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const actors: (string | null)[] = [];
  const content = [exported("movies", 0)];
  server.use(
    http.get("/api/audit", ({ request }) => {
      actors.push(new URL(request.url).searchParams.get("actor"));
      return HttpResponse.json({ content, page: 0, size: 25, totalPages: 1, totalElements: 1 });
    }),
  );
  const { user } = renderPage("/audit");
  await screen.findByText("Exportado");
  const field = screen.getByRole("searchbox", { name: /^Nombre de usuario completo/ });
  for (const text of ["an", "Ana López", "maria-jose"]) {
    await user.clear(field);
    await user.type(field, text);
    expect(await screen.findByText(/^No se encontraron resultados/)).toBeVisible();
    await user.clear(field);
    await screen.findByText("Exportado");
  }
  await user.type(field, "root");
  await waitFor(() => expect(actors.at(-1)).toBe("root"));
  expect(new Set(actors)).toEqual(new Set([null, "root"]));
});

test("a change has the labels of its screen", async () => {
  await chooseLanguage("es");
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const of = (resource: string, title: string, after: object, index: number) => ({
    ...exported(resource, index),
    action: "UPDATED",
    title,
    after,
  });
  const content = [
    of("live-profiles", "Salón", { guideDays: 3, onlyPlaying: true }, 0),
    of("integrator-keys", "App", { expiresDate: "2027-01-31", scopes: ["CATALOGUE_READ"] }, 1),
    of("tv-guides", "Guía", { shiftMinutes: 60 }, 2),
    of("epg-matching", "EPG", { lead: 6 }, 3),
    of("movies", "Dune", { genres: ["SCI_FI"], categoryId: 2, releaseDate: "2026-11-20" }, 4),
    of("epg-matches", "La 1", { verdict: "ACCEPTED", guideId: 77 }, 5),
    of("app-settings", "Ajustes", { allowedPeriods: { months: true, years: false } }, 6),
    of("operations", "#9", { kind: "movies", change: { type: "ADD", list: "genres", values: ["DRAMA"] } }, 7),
  ];
  server.use(
    http.get("/api/audit", () =>
      HttpResponse.json({ content, page: 0, size: 100, totalPages: 1, totalElements: content.length }),
    ),
  );
  const { user } = renderPage("/audit");
  for (const [name, words] of [
    ["Salón", ["Días de guía", "Solo canales que se reproducen"]],
    ["App", ["Caduca", "Permisos", "Leer el catálogo"]],
    ["Guía", ["Desfase (minutos)"]],
    ["EPG", ["Ventaja sobre el segundo"]],
    ["Dune", ["Ciencia ficción", "Clásicos", "20 nov 2026"]],
    ["La 1", ["Aceptado", "#77"]],
    ["Ajustes", ["Periodos permitidos", "Meses"]],
    ["#9", ["Películas", "Géneros + Drama"]],
  ] as const) {
    await user.click(await screen.findByRole("button", { name: `Ver los cambios de ${name}` }));
    const dialog = await screen.findByRole("dialog");
    for (const word of words) expect(await within(dialog).findByText(word)).toBeVisible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  }
});

test("the number of an operation leads to it", async () => {
  await chooseLanguage("es");
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const content = [
    { ...exported("movies", 0), title: "Dune", operationId: 31 },
    { ...exported("operations", 1), title: "#32", item: "32" },
  ];
  server.use(
    http.get("/api/audit", () =>
      HttpResponse.json({ content, page: 0, size: 100, totalPages: 1, totalElements: content.length }),
    ),
  );
  renderPage("/audit");
  const link = await screen.findByRole("link", { name: "operación masiva 31" });
  expect(link).toHaveAttribute("href", "/operations?operation=31");
  expect(screen.getByRole("link", { name: "#32" })).toHaveAttribute("href", "/operations?operation=32");
});

test("the entries of one item are a filter with its title, also of an item that is gone", async () => {
  await chooseLanguage("es");
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const requests: string[] = [];
  const content = [
    { ...exported("movies", 2), action: "DELETED", item: "7", title: "Dune", after: {} },
    { ...exported("movies", 1), action: "UPDATED", item: "7", title: "Duna" },
  ];
  server.use(
    http.get("/api/audit", ({ request }) => {
      const { searchParams } = new URL(request.url);
      requests.push(`${searchParams.get("resource")} ${searchParams.get("item")}`);
      return HttpResponse.json({ content, page: 0, size: 25, totalPages: 1, totalElements: 2 });
    }),
  );
  const { user, address } = renderPage("/audit?resource=movies&item=7");
  const chip = await screen.findByRole("combobox", { name: "Elemento" });
  await waitFor(() => expect(chip).toHaveDisplayValue("Dune"));
  expect(screen.queryByText(/lista no tiene/)).not.toBeInTheDocument();
  expect(requests).toEqual(["movies 7"]);
  await user.click(screen.getByRole("button", { name: /Elemento/ }));
  await waitFor(() => expect(address()).toBe("/audit?resource=movies"));
  expect(requests.at(-1)).toBe("movies null");
});

test("an item goes with its type, and is nothing without it", async () => {
  await chooseLanguage("es");
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const requests: string[] = [];
  server.use(
    http.get("/api/audit", ({ request }) => {
      const { searchParams } = new URL(request.url);
      requests.push(`${searchParams.get("resource")} ${searchParams.get("item")}`);
      const content = [{ ...exported("users", 1), action: "UPDATED", item: "ana", title: "Ana" }];
      return HttpResponse.json({ content, page: 0, size: 25, totalPages: 1, totalElements: 1 });
    }),
  );
  const { user, address } = renderPage("/audit?resource=users&item=ANA");
  expect(await screen.findByRole("combobox", { name: "Elemento" })).toHaveDisplayValue(/ana/i);
  await user.selectOptions(screen.getByRole("combobox", { name: "Tipo" }), "movies");
  await waitFor(() => expect(address()).toBe("/audit?resource=movies"));
  expect(requests).toEqual(["users ANA", "movies null"]);
});

test("an entry leads to the form of its item, and to all entries about it", async () => {
  await chooseLanguage("es");
  backend.user = { ...sampleCurrentUser, roleCode: "admin" };
  const content = [
    { ...exported("tv-guides", 0), action: "UPDATED", item: "7", title: "EPG" },
    { ...exported("users", 1), action: "UPDATED", item: "ana", title: "Ana" },
    { ...exported("issue-reports", 2), action: "UPDATED", item: "9", title: "No abre" },
    { ...exported("movies", 3), action: "DELETED", item: "8", title: "Dune" },
    { ...exported("movies", 4), title: "" },
  ];
  server.use(
    http.get("/api/audit", () =>
      HttpResponse.json({ content, page: 0, size: 25, totalPages: 1, totalElements: content.length }),
    ),
  );
  renderPage("/audit");
  const hrefOf = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  const all = (name: string) => hrefOf(`Ver todos los cambios de ${name} en la auditoría`);
  expect(await screen.findByRole("link", { name: "EPG" })).toHaveAttribute(
    "href",
    "/content/tv-guide/7/edit",
  );
  expect(hrefOf("Ana")).toBe("/users/Ana");
  expect(hrefOf("No abre")).toBe("/issues?tab=all&report=9");
  expect(screen.queryByRole("link", { name: "Dune" })).not.toBeInTheDocument();
  expect(all("Dune")).toBe("/audit?resource=movies&item=8");
  expect(all("Ana")).toBe("/audit?resource=users&item=ana");
  expect(screen.getAllByRole("link", { name: /^Ver todos los cambios/ })).toHaveLength(4);
});
