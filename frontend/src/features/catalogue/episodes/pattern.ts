// Addresses by pattern: {season} and {episode}, or {season:2} for at least two digits.

const hole = /\{(season|episode)(?::(\d))?\}/g;

export const examplePattern = "https://…/s{season:2}e{episode:2}.m3u8";

export function filled(pattern: string, numbers: { season: number; episode: number }): string {
  return pattern.replace(hole, (_hole, name: "season" | "episode", digits?: string) =>
    String(numbers[name]).padStart(Number(digits ?? 0), "0"),
  );
}

export function namesEpisode(pattern: string): boolean {
  return [...pattern.matchAll(hole)].some(([, name]) => name === "episode");
}
