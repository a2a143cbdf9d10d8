import { expect, test } from "vitest";
import { plain } from "./plain";

// The examples of the server's own folding (crates/domain-kernel/src/text.rs), and one of each letter that it spells out.
test.each([
  ["Corazón Salvaje", "corazon salvaje"],
  ["  El  Niño\tPerdido ", "el nino perdido"],
  ["ÅNGSTRÖM", "angstrom"],
  ["Straße", "strasse"],
  ["Łódź", "lodz"],
  ["ﬁlm Ⅳ", "film iv"],
  ["İstanbul", "istanbul"],
  ["ｃａｎａｌ　２４", "canal 24"],
  ["Ærø, Œuvre, Đorđe, Ðe, Þór, Iğdır", "aero, oeuvre, dorde, de, thor, igdir"],
  ["Amélie’s ‘x’ ʼy", "amelie's 'x' 'y"],
  ['100% _raw_ ^a` "x"', '100% _raw_ ^a` "x"'],
  ["हिन्दी", "हनद"],
  ["ΟΔΟΣ", "οδοσ"],
  ["東京物語", "東京物語"],
])("%s is searched for as the server does: %s", (text, folded) => {
  expect(plain(text)).toBe(folded);
});
