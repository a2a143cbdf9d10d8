// An address may ask for what a list does not have: an order, a page, a filter of another time. The list shows itself
// without it, and says so.
import { isPageSize, isPositive, type Known } from "../../../routing/knownAddress";
import { type FilterChoice, keysOf } from "../filter";
import UnknownParameters from "./UnknownParameters";

interface UnknownAddressProps {
  sortable: readonly string[];
  filters: readonly FilterChoice[];
}

export default function UnknownAddress({ sortable, filters }: UnknownAddressProps) {
  const known: Known = {
    sort: (value) => sortable.includes(value.replace(/^[-+ ]/, "")),
    // Lists that have days apart from their filters name them as the API does.
    from: isDay,
    to: isDay,
    ...Object.fromEntries(
      filters.flatMap((choice) => keysOf(choice).map((key) => [key, (value) => takes(choice, value)])),
    ),
    page: isPositive,
    size: isPageSize,
  };
  return <UnknownParameters known={known} text="list.unknownAddress" />;
}

function takes({ input, options, Panel }: FilterChoice, value: string): boolean {
  if (input === "text") return true;
  if (input === "number") return /^\d{1,4}$/.test(value);
  if (input === "days") return isDay(value);
  // Options that are still on their way cannot be compared with.
  if (options.length === 0) return true;
  // A choice with a panel of its own has one value, which may have a comma.
  const values = input === "several" && !Panel ? value.split(",") : [value];
  return values.every((one) => options.some((option) => option.value === one));
}

/** A day of the calendar: browsers read the 30th of February as one of March. */
function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(Date.parse(text) || 0).toISOString().startsWith(text);
}
