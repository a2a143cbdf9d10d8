// Fields of a season's episodes that the film database lacks: entered once for all of them.
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../../api/enums/Language.gen";
import { LinkQuality } from "../../../api/enums/LinkQuality.gen";
import type { Draft } from "../../../forms/draft";
import { fieldsOf } from "../../../forms/fieldsOf";
import { DraftFields } from "../../../forms/useDraftForm";
import { formatNumber } from "../../../i18n/formats";
import type { Candidate } from "./candidates";
import { addressOf, countWithoutMinutes, type ImportDraft } from "./importDraft";
import { examplePattern } from "./pattern";

const { Text, Amount, Choice, Choices } = fieldsOf<ImportDraft>();

interface ImportFieldsProps {
  draft: Draft<ImportDraft>;
  chosen: readonly Candidate[];
}

export function ImportFields({ draft, chosen }: ImportFieldsProps) {
  const { t } = useTranslation();
  const pattern = String(useSyncExternalStore(draft.subscribe, () => draft.get("pattern")) ?? "").trim();
  const first = chosen[0];
  const withoutMinutes = countWithoutMinutes(chosen);
  return (
    <fieldset className="import-links">
      <legend>{t("seasonImport.links")}</legend>
      <DraftFields draft={draft} labels="contents.seasonImport">
        <div className="form-grid">
          <Text name="pattern" type="url" placeholder={examplePattern} />
          {pattern && first && (
            <p className="import-example">
              <span className="quiet">{t("seasonImport.example")}</span>{" "}
              <code>{addressOf(pattern, first)}</code>
            </p>
          )}
          <div data-span="4">
            <Choice name="quality" of={LinkQuality} />
          </div>
          <div data-span="8">
            <Choices name="audioLanguages" of={Language} />
          </div>
          <div data-span="8">
            <Choices name="subtitleLanguages" of={Language} />
          </div>
          {withoutMinutes > 0 && (
            <div data-span="4">
              <Amount name="minutes" />
              <p className="quiet import-minutes">
                {t("seasonImport.minutesHelp", {
                  count: withoutMinutes,
                  number: formatNumber(withoutMinutes),
                })}
              </p>
            </div>
          )}
        </div>
      </DraftFields>
    </fieldset>
  );
}
