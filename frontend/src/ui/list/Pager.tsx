// The foot of a list: what is shown of how much, the pages, how many rows.
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/formats";
import { FirstIcon, LastIcon, NextIcon, PreviousIcon } from "../icons";
import { pageMarks } from "./pages";
import { pageSizes } from "./preferences";

interface PagerProps {
  page: number;
  size: number;
  total: number;
  /** What the rows on the screen are, where that is not the requested page. */
  shown?: { page: number; size: number };
  onPage: (page: number) => void;
  onSize: (size: number) => void;
  /** Called when going on looks likely, so that the next page can be fetched. */
  onIntent?: () => void;
}

export function Pager({ page, size, total, shown = { page, size }, onPage, onSize, onIntent }: PagerProps) {
  const { t } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / size));
  const last = pages - 1;
  const sizes = [...new Set([...pageSizes, size])].sort((one, other) => one - other);
  const range = {
    from: formatNumber(total === 0 ? 0 : shown.page * shown.size + 1),
    to: formatNumber(Math.min(total, (shown.page + 1) * shown.size)),
    total: formatNumber(total),
  };
  return (
    <div className="pager">
      <p className="tabular">{t("list.showing", range)}</p>
      <select
        aria-label={t("list.pageSize")}
        value={size}
        onChange={(event) => onSize(Number(event.currentTarget.value))}
      >
        {sizes.map((option) => (
          <option key={option} value={option}>
            {t("list.perPage", { count: option })}
          </option>
        ))}
      </select>
      <nav aria-label={t("list.pages")} className="pager-pages">
        <Step label={t("list.first")} isOff={page <= 0} onClick={() => onPage(0)}>
          <FirstIcon />
        </Step>
        <Step label={t("list.previous")} isOff={page <= 0} onClick={() => onPage(page - 1)}>
          <PreviousIcon />
        </Step>
        {pageMarks(page, pages).map((mark, index, marks) =>
          mark === "gap" ? (
            <span key={`gap after ${marks[index - 1]}`} className="pager-gap" aria-hidden="true">
              …
            </span>
          ) : (
            <button
              key={mark}
              type="button"
              className="pager-step tabular"
              aria-label={t("list.page", { page: formatNumber(mark + 1) })}
              aria-current={mark === page ? "page" : undefined}
              onClick={() => onPage(mark)}
            >
              {formatNumber(mark + 1)}
            </button>
          ),
        )}
        <Step
          label={t("list.next")}
          isOff={page >= last}
          onClick={() => onPage(page + 1)}
          onIntent={onIntent}
        >
          <NextIcon />
        </Step>
        <Step label={t("list.last")} isOff={page >= last} onClick={() => onPage(last)}>
          <LastIcon />
        </Step>
      </nav>
    </div>
  );
}

interface StepProps {
  label: string;
  isOff: boolean;
  onClick: () => void;
  onIntent?: () => void;
  children: React.ReactNode;
}

function Step({ label, isOff, onClick, onIntent, children }: StepProps) {
  return (
    <button
      type="button"
      className="pager-step"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onClick}
      onPointerEnter={onIntent}
      onFocus={onIntent}
    >
      {children}
    </button>
  );
}
