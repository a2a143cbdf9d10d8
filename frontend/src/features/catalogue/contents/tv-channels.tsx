// TV channels: columns, default values, form. An address is a stream's URL (EXTERNAL) or a number appended to the
// channels' base URL (INTERNAL); a channel number may repeat, with a warning.
import { useQuery } from "@tanstack/react-query";
import { Suspense, useDeferredValue, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { UrlType } from "../../../api/enums/UrlType.gen";
import { useForm, useValue } from "../../../forms/useDraftForm";
import { loadTexts, textAt } from "../../../i18n";
import { labelOf } from "../../../i18n/enums";
import { lazyPart } from "../../../loading/lazyPart";
import { paths } from "../../../routing/paths";
import { FormSection } from "../../../ui/FormSection";
import { Cover } from "../../../ui/values";
import { BaseUrlPanel } from "../BaseUrlPanel";
import { baseUrlQuery } from "../baseUrls";
import { activeFilter, columnsOf, defineContent, flagFilter, missingFilter } from "../define";
import { contentFieldsOf } from "../fields";
import { Twin } from "../Twin";

const { Text, Amount, Choice, Flag, Categories, Guide } = contentFieldsOf<"tv-channels">();

const NowNextCell = lazyPart(
  async () => (await Promise.all([import("../../../guides/NowNextCell"), loadTexts("schedule")]))[0],
);

const ChannelCandidates = lazyPart(
  async () =>
    (await Promise.all([import("../../../guides/candidates/ChannelCandidates"), loadTexts("epgReview")]))[0],
);

const text = (key: string, values?: Record<string, unknown>) => textAt(`contents.tv-channels.${key}`, values);

export default defineContent({
  kind: "tv-channels",
  schema: "TvChannel",
  nameOf: (channel) => channel.title,
  pictureOf: (channel) => channel.imageUrl,
  pictureSize: "logo",
  Header: () => <BaseUrlPanel kind="tv-channels" />,
  FormHeader: ({ item, onChanged }) => (
    <div className="channel-review">
      <Link to={paths.streams(item.id)}>{text("streams")}</Link>
      <Link to={paths.epgReviewOf(item.id)}>{text("epgReview")}</Link>
      <Suspense fallback={null}>
        <ChannelCandidates channel={item.id} title={item.title} onLinked={onChanged} />
      </Suspense>
    </div>
  ),
  detailsOf: (channel) => [labelOf(UrlType, channel.urlType), channel.epgId],
  categoryFilter: "TV_CHANNEL",
  guideFilter: true,
  filters: () => [
    activeFilter("tv-channels"),
    {
      key: "duplicated",
      label: text("fields.duplicated"),
      options: [
        { value: "true", label: text("onlyDuplicated") },
        { value: "false", label: text("notDuplicated") },
      ],
    },
    flagFilter("tv-channels", "sameAddress"),
    missingFilter("tv-channels", "LOGO", "GUIDE"),
    flagFilter("tv-channels", "adultContent"),
    flagFilter("tv-channels", "kidsContent"),
  ],
  columns: () => {
    const column = columnsOf("tv-channels");
    return [
      column.text("channelNumber", {
        sortable: true,
        onCard: true,
        align: "right",
        width: "6rem",
        edits: "channelNumber",
      }),
      column.identity("title"),
      column.category({
        isOptional: false,
        onCard: true,
        width: "clamp(9rem, 20vw, 18rem)",
        edits: "categories",
      }),
      column.active((channel) => channel.title),
      {
        key: "nowNext",
        label: text("fields.nowNext"),
        onCard: true,
        needsRoom: true,
        width: "clamp(10rem, 20vw, 18rem)",
        render: ({ id }) => (
          <Suspense fallback={<span className="quiet">…</span>}>
            <NowNextCell channel={id} />
          </Suspense>
        ),
      },
      ...column.flags("adultContent", "kidsContent"),
      ...column.dates(),
    ];
  },
  blank: () => ({
    channelNumber: "",
    title: "",
    categories: [],
    tvGuideId: null,
    epgId: "",
    imageUrl: "",
    urlType: "EXTERNAL",
    url: "",
    active: true,
    adultContent: false,
    kidsContent: false,
  }),
  Fields: () => (
    <div className="form-columns">
      <div className="form-main">
        <FormSection title={text("sections.main")}>
          <div className="form-grid">
            <div data-span="8">
              <Text name="title" />
            </div>
            <div data-span="4">
              <Amount name="channelNumber" />
              <Twin
                kind="tv-channels"
                name="channelNumber"
                nameOf={(channel) => channel.title}
                filters={(value) => (/^\d+$/.test(value) ? { channelNumber: Number(value) } : undefined)}
                text={(name, number) => text("numberUsed", { number, name })}
              />
            </div>
            <Categories name="categories" of="TV_CHANNEL" />
          </div>
        </FormSection>
        <FormSection title={text("sections.address")}>
          <Address />
        </FormSection>
        <FormSection title={text("sections.guide")}>
          <div className="form-grid">
            <div data-span="6">
              <Guide name="tvGuideId" />
            </div>
            <div data-span="6">
              <Text name="epgId" />
            </div>
          </div>
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={textAt("contents.sections.status")}>
          <div className="form-flags">
            <Flag name="active" />
            <Flag name="kidsContent" />
            <Flag name="adultContent" />
          </div>
        </FormSection>
        <FormSection title={text("sections.logo")}>
          <Logo />
          <Text name="imageUrl" type="url" placeholder="https://…" />
        </FormSection>
      </div>
    </div>
  ),
});

function Address() {
  const type = useValue<"INTERNAL" | "EXTERNAL">("urlType");
  const isInternal = type === "INTERNAL";
  useAddressPerType(type);
  return (
    <div className="form-grid">
      <div data-span="4">
        <Choice name="urlType" of={UrlType} />
      </div>
      <div data-span="8">
        <Text
          name="url"
          type={isInternal ? "digits" : "url"}
          placeholder={isInternal ? "103451" : "https://…"}
          label={isInternal ? text("internalUrl") : text("externalUrl")}
          help={isInternal ? text("internalHelp") : text("externalHelp")}
        />
        <Twin
          kind="tv-channels"
          name="url"
          nameOf={(channel) => channel.title}
          isTwin={(channel) => channel.urlType === type}
          text={(name) => textAt("contents.urlUsed", { name })}
        />
        {isInternal && <Resolved />}
      </div>
    </div>
  );
}

const isFit = (type: string, url: string) => (type === "INTERNAL") === /^\d+$/.test(url);

/** A change of the type clears an address that is invalid for the new type; changing back restores it. */
function useAddressPerType(type: string) {
  const { draft } = useForm();
  const kept = useRef<Record<string, string>>({});
  const before = useRef(type);
  useEffect(() => {
    const url = String(draft.get("url") ?? "");
    if (before.current !== type && url !== "" && !isFit(type, url)) {
      kept.current[before.current] = url;
      draft.set("url", kept.current[type] ?? "");
    } else if (before.current !== type && url === "" && kept.current[type])
      draft.set("url", kept.current[type]);
    before.current = type;
  }, [type, draft]);
}

/** The address for players: the base URL followed by the number of the channel. */
function Resolved() {
  const { t } = useTranslation();
  const base = useQuery(baseUrlQuery("tv-channels"));
  const id = useDeferredValue(useValue<string>("url"))?.trim();
  if (base.isPending) return <p className="quiet resolved">{t("form.loading")}</p>;
  if (base.isError) return <p className="quiet resolved">{t("baseUrl.tv-channels.loadFailed")}</p>;
  const url = base.data.baseUrl;
  if (!url) return <p className="quiet resolved">{text("noBase")}</p>;
  return (
    <p className="resolved">
      {text("resolved")}: <code>{/^\d+$/.test(id) ? `${url}${/[/=]$/.test(url) ? "" : "/"}${id}` : url}</code>
    </p>
  );
}

function Logo() {
  const url = useDeferredValue(useValue<string | null>("imageUrl"));
  return (
    <div className="preview-cover">
      <Cover url={url} size="logo-large" />
    </div>
  );
}
