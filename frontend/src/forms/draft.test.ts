import { expect, test } from "vitest";
import type { Rule } from "../api/rule";
import { Draft } from "./draft";

const rule: Rule = {
  required: ["title"],
  properties: {
    title: { type: "string", minLength: 2 },
    note: { type: "string", nullable: true },
    links: { type: "array", items: { properties: { url: { type: "string" } } } },
  },
};
const draftOf = (values: object, options = {}) => new Draft<Record<string, unknown>>(values, rule, options);

test("the payload has trimmed texts, null for empty values, and only fields of the rule", () => {
  const draft = draftOf({ id: 7, version: 2, title: "  Dune ", note: "   " });
  expect(draft.toPayload()).toEqual({ title: "Dune", note: null });
});

test("writing and taking back is no change", () => {
  const draft = draftOf({ title: "Dune" });
  draft.set("note", "x");
  expect(draft.isChanged()).toBe(true);
  draft.set("note", "");
  expect(draft.isChanged()).toBe(false);
});

test("what was written since it was sent stays when the answer arrives, and is a change", () => {
  const draft = draftOf({ title: "Dune" });
  draft.set("title", "Dune 2");
  const sent = draft.toPayload();
  draft.set("note", "x");
  draft.reset({ title: "Dune 2", note: null }, draft.writtenSince(sent));
  expect(draft.toPayload()).toEqual({ title: "Dune 2", note: "x" });
  expect(draft.isChanged()).toBe(true);
  draft.reset({ title: "Dune 2", note: "x" }, draft.writtenSince(draft.toPayload()));
  expect(draft.isChanged()).toBe(false);
});

test("a field has no errors until blur, and is validated while typing afterwards", () => {
  const draft = draftOf({ title: "" });
  draft.set("title", "D");
  expect(draft.violationOf("title")).toBeUndefined();
  draft.leave("title");
  expect(draft.violationOf("title")?.code).toBe("TOO_SHORT");
  draft.set("title", "Du");
  expect(draft.violationOf("title")).toBeUndefined();
});

test("an eager draft validates from the first change", () => {
  const draft = draftOf({ title: "" }, { isEager: true });
  draft.set("title", "D");
  expect(draft.violationOf("title")?.code).toBe("TOO_SHORT");
});

test("what the server found inside a list speaks for the list, until the list is changed", () => {
  const draft = draftOf({ title: "Dune", links: [{ url: "x" }] });
  draft.setErrors([{ field: "links[0].url", code: "INVALID_URL" }]);
  expect(draft.violationOf("links")?.field).toBe("links[0].url");
  draft.set("links", [{ url: "https://a.example" }]);
  expect(draft.violationOf("links")).toBeUndefined();
});
