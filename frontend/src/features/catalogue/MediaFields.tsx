// The addresses of the pictures and the trailer, each below its preview.
import { type ReactNode, useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { useForm, useValue } from "../../forms/useDraftForm";
import { lazyPart } from "../../loading/lazyPart";
import { MediaPreview } from "../../ui/MediaPreview";
import { Cover } from "../../ui/values";
import { contentFieldsOf } from "./fields";
import "./media-fields.css";

const { Text } = contentFieldsOf<"movies">();
const FloatingPreview = lazyPart(() => import("../../ui/FloatingPreview"));

interface MediaFieldsProps {
  /** Its previews can float beside the form. */
  hasFloatingPreview?: boolean;
}

type Address = "coverImageUrl" | "backgroundImageUrl" | "trailerUrl";

export function MediaFields({ hasFloatingPreview }: MediaFieldsProps) {
  const { t } = useTranslation();
  const hasTrailer = "trailerUrl" in (useForm().draft.rule.properties ?? {});
  const cover = useDeferredValue(useValue<string | null>("coverImageUrl"));
  const background = useDeferredValue(useValue<string | null>("backgroundImageUrl"));
  const trailer = useDeferredValue(useValue<string | null>("trailerUrl"));
  const none = { background: t("media.backgroundComes"), trailer: t("media.trailerComes") };
  return (
    <div className="media-fields">
      <MediaField name="coverImageUrl" preview={<Cover url={cover} size="large" />} />
      {hasFloatingPreview ? (
        <FloatingPreview
          backgroundUrl={background}
          trailerUrl={trailer}
          none={none}
          around={(part, preview) => (
            <MediaField name={part === "trailer" ? "trailerUrl" : "backgroundImageUrl"} preview={preview} />
          )}
        />
      ) : (
        <>
          <MediaField
            name="backgroundImageUrl"
            preview={<MediaPreview backgroundUrl={background} none={none.background} />}
          />
          {hasTrailer && (
            <MediaField
              name="trailerUrl"
              preview={<MediaPreview trailerUrl={trailer} none={none.trailer} />}
            />
          )}
        </>
      )}
    </div>
  );
}

function MediaField({ name, preview }: { name: Address; preview: ReactNode }) {
  return (
    <div className="media-field">
      <div className="media-field-preview">{preview}</div>
      <Text name={name} type="url" placeholder="https://…" />
    </div>
  );
}
