/** Letters without a decomposition, as the server spells them out. */
const spelledOut: Partial<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  "’": "'",
  "‘": "'",
  ʼ: "'",
};

/** A text as it is searched for: «camion» finds «Camión», as in the lists of the server (docs/spec/rest.md#search). */
export function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/./gsu, (letter) => {
      // Letter by letter: in a whole word the last Σ would become another letter.
      const lower = letter.toLowerCase();
      return spelledOut[lower] ?? lower;
    })
    .replace(/\p{M}/gu, "")
    .replace(/[\p{White_Space}\p{Cc}]+/gu, " ")
    .trim();
}
