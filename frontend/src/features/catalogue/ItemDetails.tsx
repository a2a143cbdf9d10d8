// The read-only page of an item: its facts, streams and pictures, as far as its kind has them.
import { Badge, Group, Skeleton, Text, Title } from "@mantine/core";
import "@mantine/core/styles/Title.layer.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import "../../forms/forms.css";
import type { Kind } from "../../access/kinds";
import { lookups } from "../../api/lookups";
import { categoryName } from "../../api/storedOptions";
import { textNear } from "../../i18n";
import { type EnumLabels, labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { formatRating } from "../../i18n/lazyFormats";
import { FormSection } from "../../ui/FormSection";
import { MediaPreview } from "../../ui/MediaPreview";
import { StatusBadge } from "../../ui/StatusBadge";
import { Cover, Dash, Moment } from "../../ui/values";
import type { Link } from "./contents";
import { LinksTable } from "./LinksTable";
import "./item-forms.css";

/** The fields that all kinds with this page have, and those that only some have. */
interface Item {
  title: string;
  active: boolean;
  categoryId: number;
  genres: readonly string[];
  spanishSynopsis?: string | null;
  englishSynopsis?: string | null;
  coverImageUrl?: string | null;
  backgroundImageUrl?: string | null;
  trailerUrl?: string | null;
  links?: readonly Link[];
}

interface ItemDetailsProps {
  kind: Kind;
  item: Item;
  /** The type of its category. */
  category: string;
  genres: EnumLabels;
  classification?: EnumLabels;
  /** Facts that only this kind has, after the year. */
  facts?: Record<string, (value: never) => ReactNode>;
  /** Further content of only this kind. */
  children?: ReactNode;
}

export default function ItemDetails(props: ItemDetailsProps) {
  const { kind, item } = props;
  const { t } = useTranslation();
  const hasTrailer = item.trailerUrl !== undefined;
  return (
    <div className="form-main">
      <FormSection title={item.title}>
        <div className="details-head">
          <Cover url={item.coverImageUrl} size="large" />
          <div>
            <Group gap="xs" mb="md">
              <StatusBadge active={item.active} />
              <Flags kind={kind} item={item} />
            </Group>
            <Facts {...props} />
          </div>
        </div>
      </FormSection>
      <FormSection title={t("contents.sections.synopses")}>
        <Synopsis label={t("contents.fields.spanishSynopsis")} text={item.spanishSynopsis} lang="es" />
        <Synopsis label={t("contents.fields.englishSynopsis")} text={item.englishSynopsis} lang="en" />
      </FormSection>
      {item.links && (
        <FormSection title={t("contents.sections.links")}>
          {item.links.length > 0 ? (
            <LinksTable links={item.links} />
          ) : (
            <p className="quiet">{t("links.none")}</p>
          )}
        </FormSection>
      )}
      {props.children}
      <FormSection title={hasTrailer ? t("contents.sections.media") : t("contents.sections.pictures")}>
        <MediaPreview
          backgroundUrl={item.backgroundImageUrl}
          trailerUrl={item.trailerUrl}
          none={hasTrailer ? t("media.none") : t("media.noBackground")}
        />
      </FormSection>
    </div>
  );
}

function Facts({ kind, item, category: type, genres, classification, facts }: ItemDetailsProps) {
  const { t } = useTranslation();
  const categories = useQuery(lookups.categories(type));
  const category = categories.data?.content.find((one) => one.id === item.categoryId);
  const values: Record<string, unknown> = { ...item };
  const moment = (value: string | null) => value && <Moment of={value} />;
  const shown: Record<string, (value: never) => ReactNode> = {
    year: (year) => year,
    ...facts,
    durationMinutes: (count: number | null) => count && t("contents.minutes", { count }),
    rating: (rating: number | null) =>
      rating != null && t("contents.outOfTen", { rating: formatRating(rating) }),
    classification: (code: string | null) => code && classification && labelOf(classification, code),
    categoryId: () =>
      categories.isPending ? <Skeleton h={16} w="6rem" my={4} /> : category && categoryName(category),
    genres: (codes: string[]) => codes.map((code) => labelOf(genres, code)).join(", "),
    releaseDate: moment,
    actors: (actors) => actors,
    imdbId: (id) => id,
    reference: (reference) => reference,
    views: (views: number) => formatNumber(views),
    createdDate: moment,
    updatedDate: moment,
  };
  return (
    <dl className="facts">
      {Object.entries(shown)
        .filter(([field]) => values[field] !== undefined)
        .map(([field, show]) => (
          <div key={field}>
            <dt>{textNear(`contents.${kind}`, `fields.${field}`)}</dt>
            <dd>{show(values[field] as never) || <Dash />}</dd>
          </div>
        ))}
    </dl>
  );
}

function Flags({ kind, item }: { kind: Kind; item: object }) {
  const flags = ["kidsContent", "adultContent", "englishOnly", "monoAudio"];
  return flags
    .filter((flag) => (item as Record<string, unknown>)[flag])
    .map((flag) => (
      <Badge key={flag} variant="light" color="gray" tt="none">
        {textNear(`contents.${kind}`, `fields.${flag}`)}
      </Badge>
    ));
}

function Synopsis({ label, text, lang }: { label: string; text?: string | null; lang: string }) {
  return (
    <>
      <Title order={3} size="sm" mb={4}>
        {label}
      </Title>
      <Text lang={text ? lang : undefined} mb="md" className="prose">
        {text || <Dash />}
      </Text>
    </>
  );
}
