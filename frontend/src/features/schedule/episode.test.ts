import { expect, test } from "vitest";
import { shortEpisode } from "./episode";
import type { Programme } from "./queries";

const of = (change: Partial<Programme>) =>
  shortEpisode({ season: null, episode: null, episodeText: null, ...change } as Programme);

test("an episode is shown by its numbers, else as the guide writes it", () => {
  expect(of({ season: 2, episode: 5 })).toBe("T2 E5");
  expect(of({ episode: 5 })).toBe("Episodio 5");
  expect(of({ episodeText: "Especial" })).toBe("Especial");
  expect(of({})).toBeNull();
});
