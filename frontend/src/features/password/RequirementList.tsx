// What the new password needs, ticked off as it is typed.
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { CheckIcon } from "../../ui/icons";
import { isMet, type Passwords, requirements } from "./requirements";

export function RequirementList({ passwords }: { passwords: Passwords }) {
  const { t } = useTranslation();
  const titleId = useId();
  const missing = requirements.filter((requirement) => !isMet(requirement, passwords)).length;
  return (
    <div className="requirements">
      <p id={titleId}>{t("password.requirements.title")}</p>
      <ul aria-labelledby={titleId}>
        {requirements.map((requirement) => {
          const met = isMet(requirement, passwords);
          return (
            <li key={requirement} data-met={met}>
              <span className="requirement-mark" aria-hidden="true">
                {met && <CheckIcon size={14} strokeWidth={3} />}
              </span>
              {t(`password.requirements.${requirement}`)}
              <span className="visually-hidden">
                {": "}
                {met ? t("password.requirements.met") : t("password.requirements.missing")}
              </span>
            </li>
          );
        })}
      </ul>
      <output className="visually-hidden">
        {passwords.next !== "" && t("password.requirements.left", { count: missing })}
      </output>
    </div>
  );
}
