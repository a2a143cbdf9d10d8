// What is read again after the content of a category was moved.
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { createQueryClient } from "../../api/queryClient";
import { server } from "../../testing/server";
import { useMoveAndDelete } from "./movingUses";

const move = { kind: "categories", id: 1, version: 1, name: "Una", to: 2, toName: "Otra" } as const;

const moving = (client: QueryClient) => {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const none = () => {};
  return renderHook(() => useMoveAndDelete(none, none), { wrapper }).result;
};

test("a move whose answer was lost is sent again under its key, the next one under another", async () => {
  const keys: (string | null)[] = [];
  server.use(
    http.post("/api/categories/:id/move", ({ request }) => {
      keys.push(request.headers.get("idempotency-key"));
      return keys.length === 1
        ? HttpResponse.error()
        : HttpResponse.json({ operations: [], sources: 0, profiles: 0 }, { status: 202 });
    }),
    http.delete("/api/categories/:id", () => new HttpResponse(null, { status: 204 })),
  );
  const result = moving(createQueryClient());
  await act(() => result.current.mutateAsync(move).catch(() => undefined));
  await act(() => result.current.mutateAsync(move));
  await act(() => result.current.mutateAsync(move));
  expect(keys[0]).toBeTruthy();
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[1]);
});

test("moving what is in a category changes sources, profiles and the schedule, too", async () => {
  server.use(
    http.post("/api/categories/:id/move", () =>
      HttpResponse.json({ operations: [], sources: 3, profiles: 1 }, { status: 202 }),
    ),
    http.delete("/api/categories/:id", () => new HttpResponse(null, { status: 204 })),
  );
  const client = createQueryClient();
  const keys = [
    ["playlist-sources", "list"],
    ["live-profiles", "list"],
    ["schedule", "categories"],
    ["contents", "tv-channels", "list"],
  ];
  for (const key of keys) client.setQueryData(key, {});
  const result = moving(client);
  await act(() => result.current.mutateAsync(move));
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual(keys.map(() => true));
});
