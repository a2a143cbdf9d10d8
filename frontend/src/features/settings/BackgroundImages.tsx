// The background images, each as it will look: a picture with what it announces.
import { Badge } from "@mantine/core";
import { useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { BackgroundClassification } from "../../api/enums/BackgroundClassification.gen";
import { BackgroundType } from "../../api/enums/BackgroundType.gen";
import { fieldsOf } from "../../forms/fieldsOf";
import { useValue } from "../../forms/useDraftForm";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { Picture } from "../../ui/MediaPreview";
import "../../ui/media.css";
import { pictureUrl } from "../../ui/urls";
import { EntryActions } from "./EntryActions";
import { EntryForm } from "./EntryForm";
import { EntryListing } from "./EntryListing";
import type { Entries } from "./queries";
import { useSettingsAddress } from "./useSettingsAddress";

type Image = Entries["background-images"]["stored"];

const { Text, Amount, Choice, Flag } = fieldsOf<Entries["background-images"]["draft"]>();

export function BackgroundImages({ canChange }: { canChange: boolean }) {
  const { editing } = useSettingsAddress();
  if (canChange && editing !== undefined)
    return (
      <EntryForm list="background-images" editing={editing} blank={{ type: "estreno", isKidsMode: false }}>
        <div className="form-columns">
          <div className="form-main">
            <div className="form-grid">
              <Text name="title" />
              <Choice name="type" of={BackgroundType} />
              <Amount name="year" />
              <Amount name="duration" />
              <Text name="genre" />
              <Choice name="classification" of={BackgroundClassification} />
            </div>
            <div className="settings-wide-fields">
              <Text name="imageUrl" type="url" placeholder="https://…" />
              <Flag name="isKidsMode" />
            </div>
          </div>
          <div className="form-rail">
            <DraftPreview />
          </div>
        </div>
      </EntryForm>
    );
  return (
    <EntryListing
      list="background-images"
      canChange={canChange}
      height={260}
      render={(image) => <ImageCard image={image} canChange={canChange} />}
    />
  );
}

/** The picture that is being typed. */
function DraftPreview() {
  const { t } = useTranslation();
  const source = pictureUrl(useDeferredValue(useValue<string | null>("imageUrl")));
  return (
    <figure className="image-preview">
      <figcaption>{t("appSettings.background-images.preview")}</figcaption>
      {source ? (
        <Picture key={source} source={source} />
      ) : (
        <p className="quiet">{t("appSettings.background-images.previewComes")}</p>
      )}
    </figure>
  );
}

function ImageCard({ image, canChange }: { image: Image; canChange: boolean }) {
  const { t } = useTranslation();
  const source = pictureUrl(image.imageUrl);
  const facts = [
    String(image.year),
    image.genre,
    image.duration && t("appSettings.background-images.minutes", { minutes: formatNumber(image.duration) }),
    image.classification && labelOf(BackgroundClassification, image.classification).split(":")[0],
  ].filter(Boolean);
  return (
    <article className="image-card">
      {source && <Picture key={source} source={source} />}
      <div className="image-card-text">
        <div className="image-card-head">
          <h3>{image.title}</h3>
          {canChange && <EntryActions list="background-images" entry={image} name={image.title} />}
        </div>
        <p className="quiet">{facts.join(" · ")}</p>
        <p className="badges">
          <Badge variant="light" color="indigo" className="image-type">
            {labelOf(BackgroundType, image.type)}
          </Badge>
          {image.isKidsMode && (
            <Badge variant="light" color="teal" className="status-on">
              {t("appSettings.background-images.kids")}
            </Badge>
          )}
        </p>
      </div>
    </article>
  );
}
