// What a new password needs (docs/spec/access.md#passwords), validated as on the server: by whole
// characters, of any script.

export interface Passwords {
  current: string;
  next: string;
  confirmation: string;
}

export const requirements = ["length", "upper", "lower", "digit", "other", "short"] as const;
type Requirement = (typeof requirements)[number];

const lengthOf = (text: string) => [...text].length;

const tests: Record<Requirement, (passwords: Passwords) => boolean> = {
  length: ({ next }) => lengthOf(next) >= 8,
  upper: ({ next }) => /\p{Uppercase}/u.test(next),
  lower: ({ next }) => /\p{Lowercase}/u.test(next),
  digit: ({ next }) => /[0-9]/.test(next),
  other: ({ next, current }) => next !== "" && next !== current,
  short: ({ next }) => next !== "" && lengthOf(next) <= 128,
};

export function isMet(requirement: Requirement, passwords: Passwords): boolean {
  return tests[requirement](passwords);
}

export function areAllMet(passwords: Passwords): boolean {
  return requirements.every((requirement) => isMet(requirement, passwords));
}

export type Field = keyof Passwords;
export type Fault =
  | "currentRequired"
  | "newRequired"
  | "newWeak"
  | "newSame"
  | "confirmRequired"
  | "confirmDiffers";

/** What is wrong with a field as it is. */
export function faultOf(field: Field, passwords: Passwords): Fault | undefined {
  const { current, next, confirmation } = passwords;
  switch (field) {
    case "current":
      return current === "" ? "currentRequired" : undefined;
    case "next":
      if (next === "") return "newRequired";
      if (next === current) return "newSame";
      return areAllMet(passwords) ? undefined : "newWeak";
    case "confirmation":
      if (confirmation === "") return "confirmRequired";
      return confirmation === next ? undefined : "confirmDiffers";
  }
}
