// How the history, the audit log and previews show a change.
import { QueryClientProvider } from "@tanstack/react-query";
import { render, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { createQueryClient } from "../api/queryClient";
import { server } from "../testing/server";
import { FieldChanges } from "./FieldChanges";

type Values = Record<string, unknown>;

function renderChanges(resource: string, before: Values, after: Values) {
  const { container } = render(
    <QueryClientProvider client={createQueryClient()}>
      <FieldChanges resource={resource} before={before} after={after} fieldLabel={(field) => field} />
    </QueryClientProvider>,
  );
  return (text: string) =>
    waitFor(() => expect(container).toHaveTextContent(text, { normalizeWhitespace: true }));
}

const link = {
  id: 1,
  quality: "HD",
  url: "https://a.example/1.m3u8",
  audioLanguages: ["SPANISH"],
  active: true,
};
const { audioLanguages: _, ...silent } = link;
const other = { ...link, id: 2, quality: "FHD", url: "https://a.example/2.m3u8" };

test.each([
  ["one that was added", [link], [link, other], "— → FHD https://a.example/2.m3u8"],
  ["the first one", null, [link], "— → HD https://a.example/1.m3u8"],
  ["the first of two that was removed", [link, other], [other], "HD https://a.example/1.m3u8 → —"],
  [
    "another address",
    [link],
    [{ ...link, url: "https://b.example/1.m3u8" }],
    "HD https://a.example/1.m3u8 → HD https://b.example/1.m3u8",
  ],
  [
    "another address, and not when it was changed",
    [{ ...link, updatedDate: "2026-11-20T10:00:00.000Z" }],
    [{ ...link, url: "https://b.example/1.m3u8", updatedDate: "2026-11-21T10:00:00.000Z" }],
    "HD https://a.example/1.m3u8 → HD https://b.example/1.m3u8",
  ],
  [
    "a language that is new, and not when it was added",
    [{ ...silent, updatedDate: "2026-11-20T10:00:00.000Z" }],
    [{ ...link, updatedDate: "2026-11-21T10:00:00.000Z" }],
    "HD https://a.example/1.m3u8 → HD https://a.example/1.m3u8 (SPANISH)",
  ],
  [
    "one that was switched off, in another language",
    [link, other],
    [{ ...link, active: false, audioLanguages: ["ENGLISH"] }, other],
    "HD https://a.example/1.m3u8 (SPANISH, Activo) → HD https://a.example/1.m3u8 (ENGLISH, Inactivo)",
  ],
  [
    "the categories of groups",
    [{ group: "Cine", categoryId: 1 }],
    [{ group: "Cine", categoryId: 2 }],
    "Cine 1 → Cine 2",
  ],
  ["plain values", ["ACTION"], [], "ACTION → —"],
])("of lists, what differs is shown: %s", async (_case, before, after, text) => {
  await renderChanges("sessions", { links: before }, { links: after })(`links ${text}`);
});

test("what was deleted is shown by its values before", async () => {
  await renderChanges("alert-messages", { title: "Aviso" }, {})("title Aviso → —");
});

test.each([
  ["movies", "genres", ["SCI_FI"], ["DRAMA", "SCI_FI"], "Ciencia ficción → Drama, Ciencia ficción"],
  ["movies", "classification", null, "PG_13", "— → PG-13: mayores de 13 años"],
  ["movies", "kidsContent", false, true, "No → Sí"],
  ["movies", "releaseDate", "2026-11-20", "2026-11-21", "20 nov 2026 → 21 nov 2026"],
  ["movies", "links", [link], [{ ...link, audioLanguages: ["ENGLISH"] }], "(Español) → HD (720p) https"],
  ["tv-shows", "status", "ENDED", "RETURNING_SERIES", "Finalizada → En emisión"],
  ["users", "status", "ACTIVE", "INACTIVE", "Activo → Inactivo"],
  ["users", "roleCode", "app", "agent", "Usuario → Agente"],
  ["issue-reports", "priority", "LOW", "HIGH", "Baja → Alta"],
  ["webhooks", "name", "2026", "A", "2026 → A"],
])("values have their names: %s, %s", async (resource, field, before, after, text) => {
  await renderChanges(resource, { [field]: before }, { [field]: after })(text);
});

test("categories and guides have their names, which are read once; those that are gone have their ids", async () => {
  let reads = 0;
  server.use(
    http.get("/api/categories", () => {
      reads += 1;
      const content = [{ id: 1, description: "Acción", englishDescription: "Action" }];
      return HttpResponse.json({ content, page: 0, size: 1000, totalPages: 1, totalElements: 1 });
    }),
    http.get("/api/tv-guides", () =>
      HttpResponse.json({
        content: [{ id: 7, title: "EPG España" }],
        page: 0,
        size: 1000,
        totalPages: 1,
        totalElements: 1,
      }),
    ),
  );
  await renderChanges(
    "tv-channels",
    { categories: [1], tvGuideId: null },
    { categories: [1, 2], tvGuideId: 7 },
  )("categories Acción → Acción, #2tvGuideId — → EPG España");
  expect(reads).toBe(1);
  await renderChanges(
    "playlist-sources",
    { categories: [{ group: "Cine", categoryId: 2 }] },
    { categories: [{ group: "Cine", categoryId: 1 }] },
  )("categories Cine #2 → Cine Acción");
});
