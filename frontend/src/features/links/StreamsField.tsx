// The streams of a channel: a row each, put elsewhere by dragging, by the keys of its handle or by its buttons. Everything
// here changes the draft only.
import { ActionIcon, Button, Text } from "@mantine/core";
import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { useField } from "../../forms/useDraftForm";
import { textAt } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { Finding, StateBadge } from "../../probes/Finding";
import { DayAndTime } from "../../ui/DayAndTime";
import { AddIcon, AscendingIcon, DeleteIcon, DescendingIcon, EditIcon } from "../../ui/icons";
import { GripIcon } from "../../ui/lazyIcons";
import { ToneBadge } from "../../ui/ToneBadge";
import { hostOf } from "../../ui/urls";
import { moved, placeByKey, useDraggedRows } from "../../ui/useRowOrder";
import { LinkDays } from "./LinkDays";
import { StreamDialog } from "./StreamDialog";
import { addressOf, type StoredStream, type Stream } from "./streams";

/** Streams that a channel may have. */
const most = 20;

interface StreamsFieldProps {
  /** What is known of streams by their addresses. */
  known: ReadonlyMap<string, StoredStream>;
  /** The address of the stream that players get; `undefined` while the draft differs. */
  played: string | undefined;
}

const nameOf = ({ label, urlType, url }: Stream, index: number) =>
  label || (urlType === "EXTERNAL" && hostOf(url)) || textAt("streams.place", { number: index + 1 });

export function StreamsField({ known, played }: StreamsFieldProps) {
  const { t } = useTranslation();
  const { value, change, input, violation } = useField<Stream[]>("streams");
  const streams = value ?? [];
  const [edited, setEdited] = useState<number | "new">();
  const [announcement, setAnnouncement] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLButtonElement>(null);

  const move = (from: number, to: number) => {
    const stream = streams[from];
    if (!stream) return;
    change(moved(streams, from, to));
    setAnnouncement(t("streams.moved", { name: nameOf(stream, from), place: to + 1, count: streams.length }));
  };
  const rowProps = useDraggedRows(move);
  /** The button that moved a row goes with it; at an end the other one takes over. */
  const moveAndFocus = (from: number, to: number, part: "handle" | "up" | "down") => {
    move(from, to);
    const used =
      to === 0 && part === "up" ? "down" : to === streams.length - 1 && part === "down" ? "up" : part;
    setTimeout(() =>
      list.current?.children[to]?.querySelector<HTMLElement>(`[data-part="${used}"]`)?.focus(),
    );
  };
  const onKeyDown = (event: KeyboardEvent, from: number) => {
    const to = placeByKey(event, from, streams.length);
    if (to !== undefined) moveAndFocus(from, to, "handle");
  };
  const remove = (index: number) => {
    const stream = streams[index];
    if (!stream) return;
    change(streams.filter((_, other) => other !== index));
    setAnnouncement(t("streams.removed", { name: nameOf(stream, index) }));
    setTimeout(() => add.current?.focus());
  };
  const save = (stream: Stream) => {
    change(
      edited === "new" ? [...streams, stream] : streams.map((old, at) => (at === edited ? stream : old)),
    );
    if (edited === "new") setTimeout(() => add.current?.focus());
    setEdited(undefined);
  };

  // `streams[1].url`: which of them, in words.
  const culprit = /\[(\d+)\]/.exec(violation?.field ?? "")?.[1];
  return (
    <>
      <p className="quiet streams-about">{t("streams.about")}</p>
      <Text size="xs" c="dimmed" id="streams-help">
        {t("streams.moveHelp")}
      </Text>
      <ol ref={list} className="streams" aria-label={t("streams.list")}>
        {streams.map((stream, index) => (
          <li key={addressOf(stream)} {...rowProps(index, nameOf(stream, index))}>
            <button
              type="button"
              className="stream-handle"
              data-part="handle"
              aria-label={t("streams.move", { name: nameOf(stream, index) })}
              aria-describedby="streams-help"
              onKeyDown={(event) => onKeyDown(event, index)}
            >
              <GripIcon size={16} />
            </button>
            <span className="tabular stream-place">{index + 1}</span>
            <StreamText
              stream={stream}
              name={nameOf(stream, index)}
              known={known.get(addressOf(stream))}
              isPlayed={played === addressOf(stream)}
            />
            <Actions
              name={nameOf(stream, index)}
              onUp={index > 0 ? () => moveAndFocus(index, index - 1, "up") : undefined}
              onDown={index < streams.length - 1 ? () => moveAndFocus(index, index + 1, "down") : undefined}
              onEdit={() => setEdited(index)}
              onRemove={streams.length > 1 ? () => remove(index) : undefined}
            />
          </li>
        ))}
      </ol>
      <output className="visually-hidden" aria-live="polite">
        {announcement}
      </output>
      {input.error && (
        <Text c="var(--danger)" size="sm" role="alert" tabIndex={-1} data-field-error>
          {culprit ? t("streams.error", { number: Number(culprit) + 1, error: input.error }) : input.error}
        </Text>
      )}
      {streams.length < most ? (
        <Button
          ref={add}
          variant="default"
          className="stream-add"
          leftSection={<AddIcon />}
          onClick={() => setEdited("new")}
        >
          {t("streams.add")}
        </Button>
      ) : (
        <p className="quiet">{t("streams.full")}</p>
      )}
      {edited !== undefined && (
        <StreamDialog
          stream={edited === "new" ? undefined : streams[edited]}
          others={streams.filter((_, index) => index !== edited).map(addressOf)}
          onSave={save}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

interface StreamTextProps {
  stream: Stream;
  name: string;
  known: StoredStream | undefined;
  isPlayed: boolean;
}

function StreamText({ stream, name, known, isPlayed }: StreamTextProps) {
  const { t } = useTranslation();
  const headers = stream.headers?.length ?? 0;
  const facts = [
    stream.quality && labelOf(LinkQuality, stream.quality),
    headers > 0 && t("streams.headersCount", { count: headers }),
    known?.source && t("streams.from", { source: known.source }),
  ].filter(Boolean);
  return (
    <div className="stream-text">
      <span className="stream-name">
        <strong>{name}</strong>
        {known ? <StateBadge of={known.state} /> : <ToneBadge tone="blue">{t("streams.new")}</ToneBadge>}
        {known?.since && <DayAndTime of={known.since} />}
        {isPlayed && <ToneBadge tone="green">{t("streams.played")}</ToneBadge>}
      </span>
      <span className="stream-url" title={stream.url}>
        {stream.url}
      </span>
      {facts.length > 0 && <span className="quiet">{facts.join(" · ")}</span>}
      {known?.probe && <Finding link={known} />}
      {known?.linkId && <LinkDays link={known.linkId} name={name} />}
    </div>
  );
}

interface ActionsProps {
  name: string;
  /** Not at the end to which it would move. */
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
  onEdit: () => void;
  /** Not the only one. */
  onRemove: (() => void) | undefined;
}

function Actions({ name, onUp, onDown, onEdit, onRemove }: ActionsProps) {
  const { t } = useTranslation();
  const look = { variant: "subtle", color: "gray", size: "lg" } as const;
  return (
    <span className="row-actions">
      <ActionIcon
        {...look}
        data-part="up"
        aria-label={t("streams.up", { name })}
        title={t("streams.upVerb")}
        disabled={!onUp}
        onClick={onUp}
      >
        <AscendingIcon />
      </ActionIcon>
      <ActionIcon
        {...look}
        data-part="down"
        aria-label={t("streams.down", { name })}
        title={t("streams.downVerb")}
        disabled={!onDown}
        onClick={onDown}
      >
        <DescendingIcon />
      </ActionIcon>
      <ActionIcon
        {...look}
        aria-label={t("streams.edit", { name })}
        title={t("common.edit")}
        onClick={onEdit}
      >
        <EditIcon />
      </ActionIcon>
      <ActionIcon
        {...look}
        aria-label={t("streams.remove", { name })}
        title={onRemove ? t("streams.removeVerb") : t("streams.only")}
        disabled={!onRemove}
        onClick={onRemove}
      >
        <DeleteIcon />
      </ActionIcon>
    </span>
  );
}
