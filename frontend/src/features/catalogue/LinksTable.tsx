// The streams of an item, a row each: its quality, address, languages and actions.
import { ActionIcon } from "@mantine/core";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../api/enums/Language.gen";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { labelOf } from "../../i18n/enums";
import { formatList } from "../../i18n/lazyFormats";
import { lazyPart } from "../../loading/lazyPart";
import { CopyIcon, OpenIcon, PlayIcon } from "../../ui/lazyIcons";
import { StatusBadge } from "../../ui/StatusBadge";
import { toast } from "../../ui/toast";
import { hostOf, webUrl } from "../../ui/urls";
import type { Link } from "./contents";
import "./links.css";

const LinkPlayer = lazyPart(async () => ({ default: (await import("./LinkPlayer")).LinkPlayer }), {
  isDialog: true,
});

interface LinksTableProps {
  links: readonly Link[];
  actions?: (link: Link) => ReactNode;
}

export function LinksTable({ links, actions }: LinksTableProps) {
  const { t } = useTranslation();
  const [played, setPlayed] = useState<string>();
  return (
    <>
      <ul className="link-rows" aria-label={t("links.table")}>
        {links.map((link) => (
          <LinkRow key={link.id} link={link} actions={actions?.(link)} onPlay={() => setPlayed(link.url)} />
        ))}
      </ul>
      {played && (
        <Suspense fallback={null}>
          <LinkPlayer url={played} onClose={() => setPlayed(undefined)} />
        </Suspense>
      )}
    </>
  );
}

interface LinkRowProps {
  link: Link;
  actions: ReactNode;
  onPlay: () => void;
}

function LinkRow({ link, actions, onPlay }: LinkRowProps) {
  const { t } = useTranslation();
  const address = useRef<HTMLSpanElement>(null);
  const { url, quality = "", audioLanguages, subtitleLanguages } = link;
  const web = webUrl(url)?.href;
  const names = (values: readonly string[]) => formatList(values.map((value) => labelOf(Language, value)));
  return (
    <li className="link-row">
      <span className="link-quality" title={labelOf(LinkQuality, quality)}>
        {quality}
      </span>
      <div className="link-text">
        <span className="link-host">
          <strong>{hostOf(url)}</strong>
          {!(link.active ?? true) && <StatusBadge active={false} />}
        </span>
        <span ref={address} className="link-url" title={url}>
          {url}
        </span>
        <span className="link-languages">
          {t("links.audio", { languages: names(audioLanguages ?? []) })}
          {subtitleLanguages?.length ? (
            <span>{t("links.subtitles", { languages: names(subtitleLanguages) })}</span>
          ) : null}
        </span>
      </div>
      <span className="link-actions">
        {web && (
          <ActionIcon
            {...look}
            aria-label={t("links.play", { url })}
            title={t("links.playVerb")}
            onClick={onPlay}
          >
            <PlayIcon />
          </ActionIcon>
        )}
        <ActionIcon
          {...look}
          aria-label={t("links.copy", { url })}
          title={t("links.copyVerb")}
          onClick={() => void copy(url, address.current)}
        >
          <CopyIcon />
        </ActionIcon>
        {web && (
          <ActionIcon
            {...look}
            component="a"
            href={web}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={t("links.open", { url })}
            title={t("media.open")}
          >
            <OpenIcon />
          </ActionIcon>
        )}
        {actions}
      </span>
    </li>
  );

  async function copy(text: string, shown: HTMLElement | null) {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t("links.copied"));
    } catch {
      // Without https there is no clipboard: the address is selected, for Ctrl+C.
      if (shown) getSelection()?.selectAllChildren(shown);
      toast.success(t("links.selected"));
    }
  }
}

const look = { variant: "subtle", color: "gray", size: "lg" } as const;
