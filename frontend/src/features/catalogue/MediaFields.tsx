// How the pictures and the trailer of a draft look, while their addresses are typed.
import { useDeferredValue } from "react";
import { useValue } from "../../forms/useDraftForm";
import { MediaPreview } from "../../ui/MediaPreview";
import { Cover } from "../../ui/values";

export function CoverField() {
  const url = useDeferredValue(useValue<string | null>("coverImageUrl"));
  return (
    <div className="preview-cover">
      <Cover url={url} size="large" />
    </div>
  );
}

export function DraftMedia() {
  const background = useDeferredValue(useValue<string | null>("backgroundImageUrl"));
  const trailer = useDeferredValue(useValue<string | null>("trailerUrl"));
  return <MediaPreview backgroundUrl={background} trailerUrl={trailer} />;
}
