// The state of the change: what is typed, which fields have been validated, what the server said of them, and the notice
// of success, which goes by itself.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/client";
import { Problem } from "../../api/problem";
import { failureOf } from "../../api/unknownOutcome";
import { t } from "../../i18n";
import { areAllMet, type Fault, type Field, faultOf, type Passwords } from "./requirements";

const newsStays = 5000;
const empty: Passwords = { current: "", next: "", confirmation: "" };
const fields: readonly Field[] = ["current", "next", "confirmation"];
/** What the server calls them. */
const fieldsOfServer: Record<string, Field> = { currentPassword: "current", newPassword: "next" };

type ByField<Value> = Partial<Record<Field, Value>>;

export function usePasswordChange() {
  const [passwords, setPasswords] = useState(empty);
  const [judged, setJudged] = useState<ByField<boolean>>({});
  const [refused, setRefused] = useState<ByField<string>>({});
  const [isDone, setDone] = useState(false);
  const change = useMutation({
    mutationFn: ({ current, next }: Passwords) =>
      call("put", "/users/me/password", { body: { currentPassword: current, newPassword: next } }),
  });

  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), newsStays);
    return () => clearTimeout(timer);
  }, [isDone]);

  const faults = Object.fromEntries(
    fields.map((field) => [field, faultOf(field, passwords)]),
  ) as ByField<Fault>;
  const errorOf = (field: Field): string | undefined => {
    const fault = judged[field] ? faults[field] : undefined;
    return refused[field] ?? (fault && t(`password.errors.${fault}`));
  };

  return {
    passwords,
    errorOf,
    /** What the server refused for a reason that belongs to no field. */
    failure:
      change.isError && Object.keys(refused).length === 0
        ? failureOf(
            change.error,
            t("password.failedTitle"),
            { title: t("password.unknown.title"), message: t("password.unknown.message") },
            t("password.failed"),
          )
        : undefined,
    isDone,
    isBusy: change.isPending,
    isReady: areAllMet(passwords) && passwords.current !== "" && passwords.confirmation !== "",
    type(field: Field, text: string) {
      setPasswords((before) => ({ ...before, [field]: text }));
      setRefused(({ [field]: _, ...rest }) => rest);
      setDone(false);
      change.reset();
    },
    /** Leaving a field that was written in is when its first judgement is welcome. */
    leave(field: Field) {
      if (passwords[field] !== "") setJudged((before) => ({ ...before, [field]: true }));
    },
    /** Answers the field to mend, if there is one. */
    async submit(): Promise<Field | undefined> {
      setJudged({ current: true, next: true, confirmation: true });
      const wrong = fields.find((field) => faults[field]);
      if (wrong) return wrong;
      try {
        await change.mutateAsync(passwords);
      } catch (error) {
        const found = error instanceof Problem ? violationsByField(error) : {};
        setRefused(found);
        return fields.find((field) => found[field]);
      }
      setPasswords(empty);
      setJudged({});
      setDone(true);
      return undefined;
    },
  };
}

function violationsByField(problem: Problem): ByField<string> {
  const found: ByField<string> = {};
  for (const { field, message } of problem.violations) {
    const known = fieldsOfServer[field];
    if (known) found[known] ??= message ?? problem.message;
  }
  return found;
}
