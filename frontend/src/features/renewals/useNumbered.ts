// Selections identify rows by numbers; customers have user names. Each gets a number when it is first seen, and is known by
// it on any page.
import { useMemo, useRef } from "react";
import type { ListedCustomer } from "./columns";
import type { Customer } from "./queries";

export function useNumbered(content: readonly Customer[] | undefined) {
  const seen = useRef(new Map<string, ListedCustomer>());
  const rows = useMemo(
    () =>
      content?.map((customer): ListedCustomer => {
        const id = seen.current.get(customer.username)?.id ?? seen.current.size + 1;
        const listed = { ...customer, id };
        seen.current.set(customer.username, listed);
        return listed;
      }),
    [content],
  );
  /** The customers with these numbers, in the order in which they end. */
  const named = (ids: readonly number[]) =>
    [...seen.current.values()]
      .filter(({ id }) => ids.includes(id))
      .sort((one, other) => ((one.expirationDate ?? "~") < (other.expirationDate ?? "~") ? -1 : 1));
  /** The numbers of those of them who were listed. */
  const numbersOf = (usernames: readonly string[]) =>
    usernames.flatMap((username) => seen.current.get(username)?.id ?? []);
  return { rows, named, numbersOf };
}
