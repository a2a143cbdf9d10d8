// The background images, each as it will look: a picture with what it announces.

import { Badge } from "@mantine/core";
import { useDeferredValue } from "react";
import { useTranslation } from "react-i18next";
import { BackgroundClassification } from "../../api/enums/BackgroundClassification.gen";
import { BackgroundType } from "../../api/enums/BackgroundType.gen";
import type { DraftOf, ItemOf } from "../../api/resources";
import { fieldsOf } from "../../forms/fieldsOf";
import { useValue } from "../../forms/useDraftForm";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { FormSection } from "../../ui/FormSection";
import { Picture } from "../../ui/MediaPreview";
import "../../ui/media.css";
import { pictureUrl } from "../../ui/urls";
import { EntryActions } from "./EntryActions";
import { EntryForm } from "./EntryForm";
import { EntryListing } from "./EntryListing";
import { useSettingsAddress } from "./useSettingsAddress";

type Image = ItemOf<"background-images">;

const { Text, Amount, Choice, Flag } = fieldsOf<DraftOf<"background-images">>();

export function BackgroundImages({ canChange }: { canChange: boolean }) {
  const { t } = useTranslation();
  const { editing } = useSettingsAddress();
  if (canChange && editing !== undefined)
    return (
      <EntryForm list="background-images" editing={editing} blank={{ type: "estreno", isKidsMode: false }}>
        <div className="form-columns">
          <div className="form-main">
            <FormSection title={t("appSettings.background-images.announces")}>
              <div className="form-grid">
                <div data-span="8">
                  <Text name="title" />
                </div>
                <div data-span="4">
                  <Choice name="type" of={BackgroundType} />
                </div>
                <div data-span="6">
                  <Amount name="year" />
                </div>
                <div data-span="6">
                  <Amount name="duration" />
                </div>
                <div data-span="6">
                  <Text name="genre" />
                </div>
                <div data-span="6">
                  <Choice name="classification" of={BackgroundClassification} />
                </div>
                <Flag name="isKidsMode" />
              </div>
            </FormSection>
            <FormSection title={t("appSettings.background-images.image")}>
              <Text name="imageUrl" type="url" placeholder="https://…" />
            </FormSection>
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
    <figure className="form-section image-preview">
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
          <h2>{image.title}</h2>
          {canChange && <EntryActions list="background-images" entry={image} name={image.title} />}
        </div>
        <p className="quiet">{facts.join(" · ")}</p>
        <div className="badges">
          <Badge variant="light" color="indigo" className="image-type">
            {labelOf(BackgroundType, image.type)}
          </Badge>
          {image.isKidsMode && (
            <Badge variant="light" color="teal" className="status-on">
              {t("appSettings.background-images.kids")}
            </Badge>
          )}
        </div>
      </div>
    </article>
  );
}
