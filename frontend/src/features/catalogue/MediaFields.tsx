// How the pictures and the trailer of a draft look, while their addresses are typed.
import { useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { useForm, useValue } from "../../forms/useDraftForm";
import { lazyPart } from "../../loading/lazyPart";
import { MediaPreview } from "../../ui/MediaPreview";
import { Cover } from "../../ui/values";

const FloatingPreview = lazyPart(() => import("../../ui/FloatingPreview"));

interface DraftMediaProps {
  /** Can be taken out of the form and stay in sight. */
  floats?: boolean;
}

export function DraftMedia({ floats }: DraftMediaProps) {
  const { t } = useTranslation();
  const hasTrailer = "trailerUrl" in (useForm().draft.rule.properties ?? {});
  const Preview = floats ? FloatingPreview : MediaPreview;
  const cover = useDeferredValue(useValue<string | null>("coverImageUrl"));
  const background = useDeferredValue(useValue<string | null>("backgroundImageUrl"));
  const trailer = useDeferredValue(useValue<string | null>("trailerUrl"));
  return (
    <>
      <div className="preview-cover">
        <Cover url={cover} size="large" />
      </div>
      <Preview
        backgroundUrl={background}
        trailerUrl={trailer}
        none={hasTrailer ? t("media.comes") : t("media.backgroundComes")}
      />
    </>
  );
}
