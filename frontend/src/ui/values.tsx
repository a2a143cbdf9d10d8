// How single values are shown: a quiet dash where there is none, dates with their exact moment, small pictures.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDay, formatMoment, formatServiceDay } from "../i18n/formats";
import { BrokenImageIcon, ImageIcon } from "./icons";
import { pictureUrl } from "./urls";

/** A value that there is not, in other words than a dash. */
function Nothing({ text }: { text?: string }) {
  return text ? <span className="quiet">{text}</span> : <Dash />;
}

export function Dash() {
  const { t } = useTranslation();
  return (
    <span className="quiet">
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">{t("common.noValue")}</span>
    </span>
  );
}

interface MomentProps {
  of: string | null | undefined;
  none?: string;
  /** It is a day of the service, not of the reader: the end of a subscription. */
  isServiceDay?: boolean;
}

/** The day, with the exact time on hover. */
export function Moment({ of: moment, none, isServiceDay }: MomentProps) {
  if (!moment) return <Nothing text={none} />;
  return (
    <time dateTime={moment} title={moment.length > 10 ? formatMoment(moment) : undefined} className="tabular">
      {isServiceDay ? formatServiceDay(moment) : formatDay(moment)}
    </time>
  );
}

interface CoverProps {
  url: string | null | undefined;
  size?: "small" | "large" | "wide" | "logo" | "logo-large";
}

/** A cover or logo of fixed size, so that nothing moves when it arrives; a placeholder when it does not. */
export function Cover({ url, size = "small" }: CoverProps) {
  const { t } = useTranslation();
  const source = pictureUrl(url);
  const [failed, setFailed] = useState<string>();
  const isBroken = source !== undefined && failed === source;
  const iconSize = size.endsWith("large") ? 32 : 16;
  return (
    <span
      className={`cover cover-${size}${isBroken ? " cover-broken" : ""}`}
      aria-hidden={isBroken ? undefined : "true"}
      title={isBroken ? t("common.brokenPicture") : undefined}
    >
      {source && !isBroken ? (
        <img
          src={source}
          alt=""
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          onError={() => setFailed(source)}
        />
      ) : isBroken ? (
        <>
          <BrokenImageIcon size={iconSize} />
          <span className="visually-hidden">{t("common.brokenPicture")}</span>
        </>
      ) : (
        <ImageIcon size={iconSize} />
      )}
    </span>
  );
}
