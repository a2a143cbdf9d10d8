// What is read again after the content of a category was moved.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { createQueryClient } from "../../api/queryClient";
import { server } from "../../testing/server";
import { useMoveAndDelete } from "./movingUses";

test("moving what is in a category changes sources, profiles and the schedule, too", async () => {
  server.use(
    http.post("/api/categories/:id/move", () =>
      HttpResponse.json({ operations: [], sources: 3 }, { status: 202 }),
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
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(
    () =>
      useMoveAndDelete(
        () => {},
        () => {},
      ),
    { wrapper },
  );
  const move = { kind: "categories", id: 1, version: 1, name: "Una", to: 2, toName: "Otra" } as const;
  await act(() => result.current.mutateAsync(move));
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual(keys.map(() => true));
});
