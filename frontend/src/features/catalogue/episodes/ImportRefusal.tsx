// Why no episode was created, with the errors of each; or that the outcome is unknown.
import { Alert } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useTranslation } from "react-i18next";
import { messageOf, Problem, type Violation } from "../../../api/problem";
import { violationText } from "../../../forms/texts";
import { AlertIcon } from "../../../ui/icons";
import type { Candidate } from "./candidates";
import { episodeName } from "./names";

interface ImportRefusalProps {
  error: unknown;
  sent: readonly Candidate[];
  /** The server may have created them all the same. */
  isUnanswered: boolean;
}

/** `episodes[3].title` is shown with the episode's name. */
export function ImportRefusal({ error, sent, isUnanswered }: ImportRefusalProps) {
  const { t } = useTranslation();
  const violations = error instanceof Problem ? error.violations : [];
  const textOf = (violation: Violation) => {
    const [, index, field = ""] = /^episodes\[(\d+)\]\.?(.*)$/.exec(violation.field) ?? [];
    const episode = index === undefined ? undefined : sent[Number(index)]?.episode;
    const text = violation.message ?? violationText({ ...violation, field });
    return episode ? t("seasonImport.problem", { name: episodeName(episode), error: text }) : text;
  };
  return (
    <Alert
      color={isUnanswered ? "yellow" : "red"}
      icon={<AlertIcon />}
      title={t(isUnanswered ? "seasonImport.unanswered" : "seasonImport.failed")}
      mt="md"
    >
      <div>{messageOf(error)}</div>
      {isUnanswered && <div>{t("seasonImport.unansweredHelp")}</div>}
      {violations.length > 0 && (
        <ul>
          {violations.map((violation) => (
            <li key={`${violation.field} ${violation.code}`}>{textOf(violation)}</li>
          ))}
        </ul>
      )}
    </Alert>
  );
}
