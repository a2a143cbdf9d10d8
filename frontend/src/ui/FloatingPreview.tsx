// A preview that can leave its place: played in place, kept small in a corner while the form is written, or
// made as large as the window. It is one element throughout, so that what plays goes on playing.
import { ActionIcon, Button, FocusTrap } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import "./floating-preview.css";
import { CloseIcon } from "./icons";
import { EnlargeIcon, MinimizeIcon, OpenIcon, PlayIcon, ShrinkIcon } from "./lazyIcons";
import { Picture, Player } from "./MediaPreview";
import "./media.css";
import { trailerOf } from "./trailer";
import { pictureUrl } from "./urls";

type Mode = "closed" | "inline" | "small" | "large";

type Part = "background" | "trailer";

interface FloatingPreviewProps {
  backgroundUrl?: string | null;
  trailerUrl?: string | null;
  /** The text without a preview. */
  none: Record<Part, string>;
  /** What is around each preview. */
  around: (part: Part, preview: ReactNode) => ReactNode;
}

export default function FloatingPreview({ backgroundUrl, trailerUrl, none, around }: FloatingPreviewProps) {
  const { t } = useTranslation();
  const [modes, setModes] = useState<Record<string, Mode>>({ background: "inline", trailer: "closed" });
  const picture = pictureUrl(backgroundUrl);
  const trailer = trailerOf(trailerUrl);

  const modeOf = (name: string) => modes[name] ?? "closed";
  /** Only one is out of its place at a time: they would cover each other. */
  const put = (name: string, mode: Mode) =>
    setModes((before) => {
      const rest = Object.entries(before).map(([other, its]) => [
        other,
        isOut(its) && isOut(mode) ? "inline" : its,
      ]);
      return { ...Object.fromEntries(rest), [name]: mode };
    });

  const nothing = (part: Part) => <p className="quiet media-none">{none[part]}</p>;
  return (
    <>
      {around(
        "background",
        picture ? (
          <Frame
            key={picture}
            name={t("media.background")}
            show={t("media.show")}
            href={picture}
            mode={modeOf("background")}
            onMode={(mode) => put("background", mode)}
          >
            <Picture source={picture} />
          </Frame>
        ) : (
          nothing("background")
        ),
      )}
      {around(
        "trailer",
        !trailer ? (
          nothing("trailer")
        ) : trailer.kind === "unknown" ? (
          <Player trailer={trailer} />
        ) : (
          <Frame
            key={trailer.src}
            name={t("media.trailer")}
            show={t("media.play")}
            href={trailerUrl ?? trailer.src}
            mode={modeOf("trailer")}
            onMode={(mode) => put("trailer", mode)}
          >
            <Player trailer={trailer} />
          </Frame>
        ),
      )}
    </>
  );
}

const isOut = (mode: Mode) => mode === "small" || mode === "large";

interface FrameProps {
  name: string;
  /** Label of the button that opens it. */
  show: string;
  href: string;
  mode: Mode;
  onMode: (mode: Mode) => void;
  children: ReactNode;
}

function Frame({ name, show, href, mode, onMode, children }: FrameProps) {
  const { t } = useTranslation();
  const isLarge = mode === "large";
  useEffect(() => {
    if (!isLarge) return;
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && onMode("inline");
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [isLarge, onMode]);

  const open = (
    <a className="preview-open" href={href} target="_blank" rel="noopener noreferrer">
      <OpenIcon size={16} />
      {mode === "closed" && t("media.open")}
      {mode !== "closed" && <span className="visually-hidden">{t("media.open")}</span>}
    </a>
  );
  if (mode === "closed")
    return (
      <section className="preview-closed" aria-label={name}>
        <strong>{name}</strong>
        <Button
          size="xs"
          variant="default"
          leftSection={<PlayIcon size={14} />}
          onClick={() => onMode("inline")}
        >
          {show}
        </Button>
        {open}
      </section>
    );

  const step = (label: string, Icon: typeof PlayIcon, to: Mode) => (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      aria-label={label}
      title={label}
      onClick={() => onMode(to)}
    >
      <Icon size={16} />
    </ActionIcon>
  );
  return (
    <div className="preview-place">
      <FocusTrap active={isLarge}>
        <section
          className="preview-window"
          data-mode={mode}
          aria-label={name}
          {...(isLarge && { role: "dialog", "aria-modal": true })}
        >
          <div className="preview-bar">
            <strong>{name}</strong>
            {mode === "small"
              ? step(t("media.restore"), ShrinkIcon, "inline")
              : step(t("media.minimize"), MinimizeIcon, "small")}
            {isLarge
              ? step(t("media.restore"), ShrinkIcon, "inline")
              : step(t("media.maximize"), EnlargeIcon, "large")}
            {open}
            {step(t("media.close"), CloseIcon, "closed")}
          </div>
          <div className="preview-body">{children}</div>
        </section>
      </FocusTrap>
    </div>
  );
}
