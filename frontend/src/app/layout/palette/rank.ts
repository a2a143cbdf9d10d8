// How well a name matches the search: it begins with it, a word of it does, or it contains it.
import { plain } from "../../../ui/plain";

export interface Ranked {
  name: string;
  /** A name of equal weight: the username beside the full name. */
  alias?: string;
  /** Other text that may match: a year, a country. */
  note?: string;
}

/** Of what has the words outside its name. */
export const leastRank = 3;

/** 0 is best; undefined where the words are nowhere. */
export function rank({ name, alias = "", note = "" }: Ranked, words: string): number | undefined {
  const wanted = plain(words);
  const ranks = [name, alias].map((text) => place(plain(text), wanted)).filter((one) => one !== undefined);
  if (ranks.length > 0) return Math.min(...ranks);
  return plain([name, alias, note].filter(Boolean).join(" ")).includes(wanted) ? leastRank : undefined;
}

function place(text: string, wanted: string): number | undefined {
  const at = text.indexOf(wanted);
  if (at < 0) return undefined;
  // «¿Y dónde está…?» begins with its first letter.
  if (/^[^\p{L}\p{N}]*$/u.test(text.slice(0, at))) return 0;
  return isWordStart(text, wanted) ? 1 : 2;
}

function isWordStart(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return true;
  return false;
}

/** Those that have the words, best first; those that are equally good stay in their order. */
export function ranked<T extends Ranked>(all: readonly T[], words: string): (T & { rank: number })[] {
  return all
    .flatMap((one) => {
      const rankOfOne = rank(one, words);
      return rankOfOne === undefined ? [] : [{ ...one, rank: rankOfOne }];
    })
    .toSorted((one, other) => one.rank - other.rank);
}
