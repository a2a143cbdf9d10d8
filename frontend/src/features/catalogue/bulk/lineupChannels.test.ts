// Which channels a line-up numbers in a catalogue of more than ten pages.
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test } from "vitest";
import { server } from "../../../testing/server";
import { mostChannels, readLineup } from "./lineupChannels";

const total = 12_000;

beforeEach(() =>
  server.use(
    http.get("/api/tv-channels", ({ request }) => {
      const query = new URL(request.url).searchParams;
      const [page, size] = [Number(query.get("_page")), Number(query.get("_size"))];
      const content = Array.from({ length: Math.min(size, total - page * size) }, (_, index) => {
        const id = page * size + index + 1;
        return { id, title: `Canal ${id}`, channelNumber: id, categories: [], categoryNames: [] };
      });
      return HttpResponse.json({ content, page, size, totalElements: total, totalPages: total / size });
    }),
  ),
);

const { signal } = new AbortController();

test("a channel that is chosen on the last page is among them, and all others are known", async () => {
  const { all, chosen } = await readLineup({ ids: [3, 11_999] }, signal);
  expect(chosen.map(({ id }) => id)).toEqual([3, 11_999]);
  expect(all).toHaveLength(total);
});

test("of a filter more are read than can be numbered, so that it can be said", async () => {
  const { chosen } = await readLineup({ filter: { active: "true" } }, signal);
  expect(chosen.length).toBeGreaterThan(mostChannels);
});
