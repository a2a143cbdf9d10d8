// What is read again after the content of a category was moved.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { createQueryClient } from "../../api/queryClient";
import { server } from "../../testing/server";
import { useMoveUses } from "./uses";

test("moving what is in a category changes sources, profiles and the schedule, too", async () => {
  server.use(http.post("/api/categories/:id/move", () => HttpResponse.json({ moved: 3 })));
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
  const { result } = renderHook(() => useMoveUses("categories"), { wrapper });
  await act(() => result.current.mutateAsync({ id: 1, to: 2 }));
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual(keys.map(() => true));
});
