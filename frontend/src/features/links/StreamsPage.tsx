// «Señales»: the streams of a channel in their order, which of them players get, and whether they play.
import { Radio } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { Failover } from "../../api/enums/Failover.gen";
import { useConflict } from "../../forms/ConflictDialog";
import { Draft, type PartialDraft } from "../../forms/draft";
import { EditForm } from "../../forms/EditForm";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { useField, useIsChanged } from "../../forms/useDraftForm";
import { useStored } from "../../forms/useStored";
import { OpensHistory } from "../../history/OpensHistory";
import { loadTexts } from "../../i18n";
import { optionsOf } from "../../i18n/enums";
import { lazyPart } from "../../loading/lazyPart";
import { paths } from "../../routing/paths";
import { FormSection } from "../../ui/FormSection";
import { NotLoaded } from "../../ui/NotLoaded";
import { PageHeading } from "../../ui/PageHeading";
import { toast } from "../../ui/toast";
import { StreamsField } from "./StreamsField";
import {
  addressOf,
  draftOf,
  type Streams,
  type StreamsDraft,
  streamsQuery,
  streamsRule,
  useSaveStreams,
} from "./streams";
import "@mantine/core/styles/Radio.layer.css";
import "./streams.css";

const StreamsHistory = lazyPart(
  async () => (await Promise.all([import("./StreamsHistory"), loadTexts("history")]))[0],
  { isDialog: true },
);

/** What a form edits of what the server answers: states of links change by themselves. */
const editable = ({ version, failover, streams }: Streams) => ({
  version,
  failover,
  streams: streams.map(draftOf),
});

export default function StreamsPage() {
  const { t } = useTranslation();
  const id = Number(useParams().id);
  const query = useQuery(streamsQuery(id));
  const stored = useStored(query, id);
  if (query.isError && !stored)
    return (
      <NotLoaded
        page={t("pages.tv-channels")}
        title={t("streams.notLoaded")}
        reason={query.error}
        onRetry={() => void query.refetch()}
        back={{
          to: paths.contents("tv-channels"),
          label: t("contents.backTo", { list: t("pages.tv-channels") }),
        }}
      />
    );
  if (!stored) return <FormSkeleton />;
  return <Loaded key={id} channel={id} stored={stored} />;
}

function Loaded({ channel, stored }: { channel: number; stored: Streams }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [opened] = useState(() => editable(stored));
  const [draft] = useState(() => new Draft<StreamsDraft>(opened as PartialDraft<StreamsDraft>, streamsRule));
  const saving = useSaveStreams(channel);
  const isChanged = useIsChanged(draft);
  const back = () => navigate(paths.editContent("tv-channels", channel));

  const saveOver = async (version: number) => {
    const sent = draft.toPayload();
    const saved = await saving.mutateAsync({ version, draft: sent });
    toast.success(t("streams.saved", { title: saved.title }));
    draft.reset(editable(saved) as PartialDraft<StreamsDraft>, draft.writtenSince(sent));
    conflict.baseOn(saved.version, editable(saved));
  };
  const conflict = useConflict({
    draft,
    stored: opened,
    resource: "tv-channels",
    labels: "streams",
    saveOver,
  });
  const { base } = conflict;
  const known = new Map(stored.streams.map((stream) => [addressOf(stream), stream]));
  const played = stored.streams[stored.played];

  return (
    <div className="streams-page">
      <PageHeading
        title={t("streams.title", { title: stored.title })}
        back={{ to: paths.editContent("tv-channels", channel), label: stored.title }}
        actions={<HistoryButton channel={channel} name={stored.title} version={base.version} draft={draft} />}
      />
      <EditForm
        draft={draft}
        labels="streams"
        submitLabel={t("streams.save")}
        version={base.version}
        onKeptVersion={conflict.baseOn}
        onSave={() => saveOver(base.version)}
        onCancel={back}
        onFailure={conflict.takeOver}
      >
        <FormSection title={t("streams.fields.streams")}>
          <StreamsField known={known} played={isChanged || !played ? undefined : addressOf(played)} />
        </FormSection>
        <FormSection title={t("streams.failover")}>
          <FailoverField />
        </FormSection>
      </EditForm>
      {conflict.dialog}
    </div>
  );
}

interface HistoryButtonProps {
  channel: number;
  name: string;
  version: number;
  draft: Draft<StreamsDraft>;
}

function HistoryButton(props: HistoryButtonProps) {
  return <OpensHistory>{(close) => <StreamsHistory {...props} onClose={close} />}</OpensHistory>;
}

function FailoverField() {
  const { t } = useTranslation();
  const { value, change } = useField<StreamsDraft["failover"]>("failover");
  return (
    <Radio.Group
      aria-label={t("streams.failover")}
      value={value}
      onChange={(next) => change(next as typeof value)}
    >
      {optionsOf(Failover).map(({ value: code, label }) => (
        <Radio
          key={code}
          className="stream-failover"
          value={code}
          label={label}
          description={t(`streams.failoverHelp.${code as "MANUAL" | "AUTO"}`)}
        />
      ))}
    </Radio.Group>
  );
}
