// A whole number between two bounds, outside of the forms that follow the server's rules. The field takes decimals, so
// that 1,5 stays what was typed and is refused: without them it would become 15.
import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";

/** What the field holds: the number, or what was typed where it is none. */
export type TypedNumber = number | string;

export interface Bounds {
  min: number;
  max: number;
}

/** Undefined where it is no whole number within the bounds. */
export function wholeNumber(typed: TypedNumber, { min, max }: Bounds): number | undefined {
  return typeof typed === "number" && Number.isInteger(typed) && typed >= min && typed <= max
    ? typed
    : undefined;
}

export function WholeNumberInput(props: Omit<NumberInputProps, "value"> & Bounds & { value: TypedNumber }) {
  const { t } = useTranslation();
  const { min, max, value } = props;
  const isWrong = wholeNumber(value, { min, max }) === undefined;
  return (
    <NumberInput
      error={isWrong && t("common.wholeNumber", { min: formatNumber(min), max: formatNumber(max) })}
      {...props}
      allowedDecimalSeparators={[",", "."]}
      clampBehavior="none"
    />
  );
}
