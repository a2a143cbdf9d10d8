import { expect, test, vi } from "vitest";

test("what was sent without an answer is known after a reload, to whom it was sent by", async () => {
  // Other files of the worker have sent something, too.
  vi.resetModules();
  const before = await import("./openSales");
  const sent = { key: "key", body: '{"targetUsername":"luis","amount":1}' };
  before.keepUnanswered("ana", "luis", sent);
  vi.resetModules();
  const after = await import("./openSales");
  expect(after.openSales("ana", "luis")).toEqual([sent]);
  expect(after.openSales("otra", "luis")).toEqual([]);
  after.forgetUnanswered("ana", "luis");
  expect(sessionStorage).toHaveLength(0);
});
