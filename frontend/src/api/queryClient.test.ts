// Stale data is read again after a change.
import { QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { createQueryClient } from "./queryClient";

/** A query whose responses the test resolves, in any order. */
function observed() {
  const client = createQueryClient();
  const answers: ((value: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve));
  const observer = new QueryObserver(client, { queryKey: ["list"], queryFn });
  const stop = observer.subscribe(() => {});
  return { client, answers, shown: () => observer.getCurrentResult().data, stop };
}

test("a list that is being read for the first time when something changes is read again", async () => {
  const { client, answers, shown, stop } = observed();
  const refreshed = client.invalidateQueries({ queryKey: ["list"] });
  answers[0]?.("before the change");
  answers[1]?.("after the change");
  await refreshed;
  expect(shown()).toBe("after the change");
  expect(answers).toHaveLength(2);
  stop();
});

test("only what changed is read again", async () => {
  const { client, answers, shown, stop } = observed();
  await client.invalidateQueries({ queryKey: ["other"] });
  answers[0]?.("unchanged");
  await vi.waitFor(() => expect(shown()).toBe("unchanged"));
  expect(answers).toHaveLength(1);
  stop();
});
