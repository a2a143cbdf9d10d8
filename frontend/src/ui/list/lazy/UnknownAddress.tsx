// An address may ask for what a list does not have: an order, a page, a filter of another time. The list shows itself
// without it, and says so.
import { Alert } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { textAt } from "../../../i18n";
import { formatList } from "../../../i18n/formats";
import { type FilterChoice, keysOf } from "../filter";

/** The days of lists that have them apart from their filters, named as the API names them. */
const dayKeys = ["from", "to"];

interface UnknownAddressProps {
  sortable: readonly string[];
  filters: readonly FilterChoice[];
}

export default function UnknownAddress({ sortable, filters }: UnknownAddressProps) {
  const { t } = useTranslation();
  const [address, setAddress] = useSearchParams();
  const [left, setLeft] = useState<string[]>([]);
  const unknown = unknownIn(address, sortable, filters);
  const key = unknown.join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is in it
  useEffect(() => {
    if (unknown.length === 0) return;
    setLeft(unknown.map((name) => `${name}=${address.get(name)}`));
    setAddress(
      (before) => {
        for (const name of unknown) before.delete(name);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [key]);

  return (
    <div role="status">
      {left.length > 0 && (
        <Alert
          color="yellow"
          mb="sm"
          withCloseButton
          closeButtonLabel={t("common.close")}
          onClose={() => setLeft([])}
        >
          {textAt("list.unknownAddress", { parts: formatList(left) })}
        </Alert>
      )}
    </div>
  );
}

function unknownIn(
  address: URLSearchParams,
  sortable: readonly string[],
  filters: readonly FilterChoice[],
): string[] {
  const isUnknown = (name: string, isKnown: (value: string) => boolean) => {
    const value = address.get(name);
    return value !== null && value !== "" && !isKnown(value);
  };
  const names = filters.flatMap((choice) =>
    keysOf(choice).filter((key) => isUnknown(key, (value) => takes(choice, value))),
  );
  if (isUnknown("sort", (value) => sortable.includes(value.replace(/^[-+ ]/, "")))) names.unshift("sort");
  names.push(...dayKeys.filter((key) => isUnknown(key, isDay)));
  if (isUnknown("page", (value) => /^[1-9]\d{0,8}$/.test(value))) names.push("page");
  if (isUnknown("size", (value) => /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 1000))
    names.push("size");
  return names;
}

function takes({ input, options }: FilterChoice, value: string): boolean {
  if (input === "text") return true;
  if (input === "number") return /^\d{1,4}$/.test(value);
  if (input === "days") return isDay(value);
  // Options that are still on their way cannot be compared with.
  if (options.length === 0) return true;
  const values = input === "several" ? value.split(",") : [value];
  return values.every((one) => options.some((option) => option.value === one));
}

/** A day of the calendar: browsers read the 30th of February as one of March. */
function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(Date.parse(text) || 0).toISOString().startsWith(text);
}
