// A whole number between two bounds, outside of the forms that follow the server's rules: digits and nothing else, so that
// 1,5 stays what was typed or pasted and is refused.
import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";
import { parseInteger } from "./typed";

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

interface WholeNumberInputProps extends Omit<TextInputProps, "value" | "onChange" | "min" | "max">, Bounds {
  value: TypedNumber;
  onChange: (value: TypedNumber) => void;
}

export function WholeNumberInput({ min, max, value, onChange, ...input }: WholeNumberInputProps) {
  const { t } = useTranslation();
  const isWrong = wholeNumber(value, { min, max }) === undefined;
  return (
    <TextInput
      error={isWrong && t("common.wholeNumber", { min: formatNumber(min), max: formatNumber(max) })}
      inputMode="numeric"
      autoComplete="off"
      {...input}
      value={String(value)}
      onChange={(event) => {
        const number = parseInteger(event.currentTarget.value);
        onChange(typeof number === "number" ? number : event.currentTarget.value);
      }}
    />
  );
}
