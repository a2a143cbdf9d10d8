// Which changes the bulk bar has of a kind.
import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { beforeEach, expect, test } from "vitest";
import { createQueryClient } from "../../../api/queryClient";
import { loadTexts } from "../../../i18n";
import { server } from "../../../testing/server";
import { type ChangedKind, useBulkTarget } from "./changes";

beforeEach(async () => {
  await loadTexts("operations");
  const page = { content: [], page: 0, size: 10, totalPages: 0, totalElements: 0 };
  server.use(
    http.get("/api/categories", () => HttpResponse.json(page)),
    http.get("/api/tv-guides", () =>
      HttpResponse.json({ ...page, content: [{ id: 4, title: "EPG" }], totalPages: 1, totalElements: 1 }),
    ),
  );
});

function targetOf(kind: string, schema: string) {
  const client = createQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const definition = { kind, schema } as unknown as ChangedKind;
  const { result } = renderHook(() => useBulkTarget(definition), { wrapper });
  return (key: string) => result.current.possible.find((change) => change.key === key);
}

test("a station gets another country, and a show another status", () => {
  const country = targetOf("radio-stations", "RadioStation")("country");
  expect(country).toMatchObject({ input: "value", maxLength: 100 });
  expect(country?.with([" Perú "])).toEqual({ type: "SET", set: { country: "Perú" } });
  const status = targetOf("tv-shows", "TvShow")("status");
  expect(status?.options.map(({ value }) => value)).toContain("ENDED");
  expect(status?.with(["ENDED"])).toEqual({ type: "SET", set: { status: "ENDED" } });
});

test("a channel loses its guide, and all its streams get another host or another quality", async () => {
  const change = targetOf("tv-channels", "TvChannel");
  await waitFor(() => expect(change("tvGuideId")?.options.map(({ value }) => value)).toContain("4"));
  expect(change("tvGuideId")?.options[0]).toEqual({ value: "-", label: "Sin guía" });
  expect(change("tvGuideId")?.with(["-"])).toEqual({ type: "SET", set: { tvGuideId: null } });
  expect(change("tvGuideId")?.with(["4"])).toEqual({ type: "SET", set: { tvGuideId: 4 } });
  expect(change("REPLACE Direcciones de las señales")?.with(["a.b", "c.d"])).toEqual({
    type: "REPLACE",
    fields: ["streams"],
    find: "a.b",
    replacement: "c.d",
  });
  expect(change("linkQuality")).toBeDefined();
});
