// What the history, the audit log and previews say of a change.
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { FieldChanges } from "./FieldChanges";

const link = {
  id: 1,
  quality: "HD",
  url: "https://a.example/1.m3u8",
  audioLanguages: ["SPANISH"],
  active: true,
};
const other = { ...link, id: 2, quality: "FHD", url: "https://a.example/2.m3u8" };

test.each([
  ["one that was added", [link], [link, other], "— → FHD https://a.example/2.m3u8"],
  ["the first one", null, [link], "— → HD https://a.example/1.m3u8"],
  ["the first of two that was removed", [link, other], [other], "HD https://a.example/1.m3u8 → —"],
  [
    "another address",
    [link],
    [{ ...link, url: "https://b.example/1.m3u8" }],
    "HD https://a.example/1.m3u8 → HD https://b.example/1.m3u8",
  ],
  [
    "one that was switched off, in another language",
    [link, other],
    [{ ...link, active: false, audioLanguages: ["ENGLISH"] }, other],
    "HD https://a.example/1.m3u8 (SPANISH, Activo) → HD https://a.example/1.m3u8 (ENGLISH, Inactivo)",
  ],
  [
    "the categories of groups",
    [{ group: "Cine", categoryId: 1 }],
    [{ group: "Cine", categoryId: 2 }],
    "Cine 1 → Cine 2",
  ],
  ["plain values", ["ACTION"], [], "ACTION → —"],
])("of lists, what differs is shown: %s", (_case, before, after, text) => {
  const { container } = render(
    <FieldChanges before={{ links: before }} after={{ links: after }} fieldLabel={() => "Enlaces"} />,
  );
  expect(container).toHaveTextContent(`Enlaces ${text}`, { normalizeWhitespace: true });
});

test("what was deleted is shown by its values before", () => {
  const { container } = render(
    <FieldChanges before={{ title: "Aviso" }} after={{}} fieldLabel={(field) => field} />,
  );
  expect(container).toHaveTextContent("title Aviso → —");
});
