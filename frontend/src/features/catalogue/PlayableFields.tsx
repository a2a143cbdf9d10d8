// The form of movies, documentaries, concerts and sports. The rules of a kind decide which of the fields it has; their
// order is the same for all.
import { useTranslation } from "react-i18next";
import { useForm } from "../../forms/useDraftForm";
import type { EnumLabels } from "../../i18n/enums";
import { lazyPart } from "../../loading/lazyPart";
import { FormSection } from "../../ui/FormSection";
import type { PlayableKind } from "./contents";
import { contentFieldsOf } from "./fields";
import { LinkProbes } from "./LinkProbes";
import { Synopses } from "./Synopses";
import { LinkTwin, Twin } from "./Twin";

// A movie has all fields of the other kinds.
const { Text, Amount, Choice, Choices, Day, Flag, Category, Links } = contentFieldsOf<"movies">();
const MediaFields = lazyPart(async () => ({ default: (await import("./MediaFields")).MediaFields }));

const numbers = ["year", "durationMinutes", "rating", "releaseDate"] as const;
const flags = ["active", "kidsContent", "adultContent", "englishOnly", "monoAudio"] as const;

interface PlayableFieldsProps {
  kind: PlayableKind;
  /** The type of its categories. */
  category: string;
  genres: EnumLabels;
  classification?: EnumLabels;
  /** Its preview can float beside the form. */
  hasFloatingPreview?: boolean;
}

/** Whether the kind has a field. */
function useHasField(): (name: string) => boolean {
  const { properties = {} } = useForm().draft.rule;
  return (name) => name in properties;
}

export default function PlayableFields(props: PlayableFieldsProps) {
  const { kind, hasFloatingPreview } = props;
  const { t } = useTranslation();
  const has = useHasField();
  return (
    <div className="form-columns">
      <div className="form-main">
        <MainFields {...props} />
        <FormSection title={t("contents.sections.links")}>
          <Links name="links" twinOf={(url, ownId) => <LinkTwin kind={kind} ownId={ownId} url={url} />} />
          <LinkProbes kind={kind} />
        </FormSection>
        <TextFields />
        <FormSection
          title={has("trailerUrl") ? t("contents.sections.media") : t("contents.sections.pictures")}
        >
          <MediaFields hasFloatingPreview={hasFloatingPreview} />
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={t("contents.sections.status")}>
          <div className="form-flags">
            {flags.filter(has).map((name) => (
              <Flag key={name} name={name} />
            ))}
          </div>
        </FormSection>
        <FormSection title={t("contents.sections.internal")}>
          <Text name="reference" />
        </FormSection>
      </div>
    </div>
  );
}

function MainFields({ category, genres, classification }: PlayableFieldsProps) {
  const { t } = useTranslation();
  const has = useHasField();
  const inRow = numbers.filter(has);
  const span = 12 / inRow.length;
  return (
    <FormSection title={t("contents.sections.main")}>
      <div className="form-grid">
        <div data-span={has("imdbId") ? 8 : 12}>
          <Text name="title" />
        </div>
        {has("imdbId") && (
          <div data-span="4">
            <Text name="imdbId" placeholder="tt0133093" />
            <Twin
              kind="movies"
              name="imdbId"
              nameOf={(twin) => twin.title}
              text={(name) => t("contents.imdbIdUsed", { name })}
            />
          </div>
        )}
        {inRow.map((name) => (
          <div key={name} data-span={span}>
            {name === "releaseDate" ? <Day name={name} /> : <Amount name={name} />}
          </div>
        ))}
        <div data-span={classification ? 3 : 4}>
          <Category name="categoryId" of={category} />
        </div>
        {classification && (
          <div data-span="4" data-own-line>
            <Choice name="classification" of={classification} />
          </div>
        )}
        <div data-span={classification ? 5 : 8}>
          <Choices name="genres" of={genres} />
        </div>
      </div>
    </FormSection>
  );
}

function TextFields() {
  const { t } = useTranslation();
  const has = useHasField();
  return (
    <FormSection title={t(has("actors") ? "contents.sections.texts" : "contents.sections.synopses")}>
      <div className="form-grid">
        <Synopses />
        {has("actors") && <Text name="actors" />}
      </div>
    </FormSection>
  );
}
