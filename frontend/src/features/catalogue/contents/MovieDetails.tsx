// A film to look at: its facts, its streams, its pictures.
import { Badge, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import "../../../forms/forms.css";
import { labelOf } from "../../../i18n/enums";
import { formatNumber, formatRating } from "../../../i18n/formats";
import { FormSection } from "../../../ui/FormSection";
import { MediaPreview } from "../../../ui/MediaPreview";
import { StatusBadge } from "../../../ui/StatusBadge";
import { Cover, Dash, Moment } from "../../../ui/values";
import { categoryName } from "../categoryOptions";
import type { Stored } from "../contents";
import { LinksTable } from "../LinksTable";
import { contentQueries } from "../queries";

type Movie = Stored<"movies">;

export function MovieDetails({ item }: { item: Movie }) {
  const { t } = useTranslation();
  return (
    <div className="form-main">
      <FormSection title={item.title}>
        <div className="details-head">
          <Cover url={item.coverImageUrl} size="large" />
          <div>
            <Group gap="xs" mb="md">
              <StatusBadge active={item.active} />
              <Flags movie={item} />
            </Group>
            <Facts movie={item} />
          </div>
        </div>
      </FormSection>
      <FormSection title={t("contents.sections.synopses")}>
        <Synopsis label={t("contents.movies.fields.spanishSynopsis")} text={item.spanishSynopsis} lang="es" />
        <Synopsis label={t("contents.movies.fields.englishSynopsis")} text={item.englishSynopsis} lang="en" />
      </FormSection>
      <FormSection title={t("contents.sections.links")}>
        {item.links.length > 0 ? (
          <LinksTable links={item.links} />
        ) : (
          <p className="quiet">{t("links.none")}</p>
        )}
      </FormSection>
      <FormSection title={t("contents.sections.media")}>
        <MediaPreview
          backgroundUrl={item.backgroundImageUrl}
          trailerUrl={item.trailerUrl}
          none={t("media.none")}
        />
      </FormSection>
    </div>
  );
}

function Facts({ movie }: { movie: Movie }) {
  const { t } = useTranslation();
  const categories = useQuery(contentQueries.categories("MOVIE"));
  const category = categories.data?.content.find((one) => one.id === movie.categoryId);
  const facts: [keyof Movie & string, ReactNode][] = [
    ["year", movie.year],
    ["durationMinutes", movie.durationMinutes && t("contents.minutes", { count: movie.durationMinutes })],
    ["rating", movie.rating != null && t("contents.outOfTen", { rating: formatRating(movie.rating) })],
    ["classification", labelOf("MovieClassification", movie.classification)],
    ["categoryId", category && categoryName(category)],
    ["genres", movie.genres.map((genre) => labelOf("MovieGenre", genre)).join(", ")],
    ["releaseDate", movie.releaseDate && <Moment of={movie.releaseDate} />],
    ["actors", movie.actors],
    ["imdbId", movie.imdbId],
    ["reference", movie.reference],
    ["views", formatNumber(movie.views)],
    ["createdDate", <Moment key="created" of={movie.createdDate} />],
    ["updatedDate", <Moment key="updated" of={movie.updatedDate} />],
  ];
  return (
    <dl className="facts">
      {facts.map(([field, value]) => (
        <div key={field}>
          <dt>{t(`contents.movies.fields.${field as "title"}`)}</dt>
          <dd>{value || <Dash />}</dd>
        </div>
      ))}
    </dl>
  );
}

const flags = ["kidsContent", "adultContent", "englishOnly", "monoAudio"] as const;

function Flags({ movie }: { movie: Movie }) {
  const { t } = useTranslation();
  return flags
    .filter((flag) => movie[flag])
    .map((flag) => (
      <Badge key={flag} variant="light" color="gray" tt="none">
        {t(`contents.movies.fields.${flag}`)}
      </Badge>
    ));
}

function Synopsis({ label, text, lang }: { label: string; text?: string | null; lang: string }) {
  return (
    <>
      <Title order={3} size="sm" mb={4}>
        {label}
      </Title>
      {text ? (
        <Text lang={lang} mb="md" className="prose">
          {text}
        </Text>
      ) : (
        <p>
          <Dash />
        </p>
      )}
    </>
  );
}
