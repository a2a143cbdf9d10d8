// How the pictures and the trailer of a draft look, while their addresses are typed.
import { useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { useValue } from "../../forms/useDraftForm";
import { MediaPreview } from "../../ui/MediaPreview";
import { Cover } from "../../ui/values";

export function DraftMedia() {
  const { t } = useTranslation();
  const cover = useDeferredValue(useValue<string | null>("coverImageUrl"));
  const background = useDeferredValue(useValue<string | null>("backgroundImageUrl"));
  const trailer = useDeferredValue(useValue<string | null>("trailerUrl"));
  return (
    <>
      <div className="preview-cover">
        <Cover url={cover} size="large" />
      </div>
      <MediaPreview backgroundUrl={background} trailerUrl={trailer} none={t("media.comes")} />
    </>
  );
}
