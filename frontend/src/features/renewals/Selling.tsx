// How far a renewal is: each customer with what became of them, and the way on for those who are left.
import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Progress.layer.css";
import { useTranslation } from "react-i18next";
import { isLeft, type Sale, type SaleState } from "../../api/openSales";
import { formatNumber } from "../../i18n/formats";
import { type Tone, ToneBadge } from "../../ui/ToneBadge";
import { Moment } from "../../ui/values";
import type { useSelling } from "./useSelling";
import { WriteToSold } from "./WriteToSold";

interface SellingProps {
  of: ReturnType<typeof useSelling>;
  sales: readonly Sale[];
  onClose: () => void;
}

export function Selling({ of: { isRunning, isStopping, run, stop }, sales, onClose }: SellingProps) {
  const { t } = useTranslation();
  const sold = sales.filter(({ state }) => state === "sold").length;
  const left = sales.filter(isLeft).length;
  const isUncertain = sales.some(({ state }) => state === "unknown");
  return (
    <Stack gap="sm">
      {isRunning ? (
        <div role="status">
          <Text size="sm" mb="xs" className="tabular">
            {t(isStopping ? "renewals.stopping" : "renewals.selling")} {formatNumber(sold)} /{" "}
            {formatNumber(sales.length)}
          </Text>
          <Progress value={(100 * sold) / sales.length} aria-label={t("renewals.selling")} />
        </div>
      ) : (
        <div role="status">
          <Text fw={600}>
            {t("renewals.done", { count: sold, number: formatNumber(sold) })}
            {left > 0 && `. ${t("renewals.left", { count: left, number: formatNumber(left) })}.`}
          </Text>
          {isUncertain && (
            <Text size="sm" mt={4}>
              {t("renewals.safe")}
            </Text>
          )}
        </div>
      )}
      <SaleList sales={sales} />
      <Group justify="flex-end" gap="sm">
        {isRunning ? (
          <Button variant="default" onClick={stop} disabled={isStopping}>
            {t("renewals.stop")}
          </Button>
        ) : (
          <>
            {left > 0 && (
              <Button variant="default" onClick={onClose}>
                {t("common.close")}
              </Button>
            )}
            {left > 0 ? (
              <Button onClick={() => run(sales)}>
                {t("renewals.retry", { count: left, number: formatNumber(left) })}
              </Button>
            ) : (
              <Button onClick={onClose} data-autofocus>
                {t("common.close")}
              </Button>
            )}
          </>
        )}
      </Group>
    </Stack>
  );
}

const tones: Record<SaleState, Tone> = {
  waiting: "gray",
  sending: "blue",
  sold: "green",
  refused: "red",
  unknown: "orange",
};

/** Those who need attention first. */
const order: Record<SaleState, number> = { sending: 0, unknown: 1, refused: 2, waiting: 3, sold: 4 };

function SaleList({ sales }: { sales: readonly Sale[] }) {
  const { t } = useTranslation();
  const sorted = [...sales].sort((one, other) => order[one.state] - order[other.state]);
  return (
    // The keyboard scrolls it, too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
    <section className="renewal-scroll" aria-label={t("renewals.customers")} tabIndex={0}>
      <ul className="renewal-lines">
        {sorted.map((sale) => (
          <li key={sale.key} className="renewal-line">
            <span className="renewal-customer">
              <strong>{sale.fullName}</strong>
              <span className="quiet">{sale.username}</span>
            </span>
            <span className="renewal-result">
              <ToneBadge tone={tones[sale.state]}>{t(`renewals.state.${sale.state}`)}</ToneBadge>
              {sale.state === "sold" && sale.expiration && (
                <span>
                  {t("renewals.until")} <Moment of={sale.expiration} isServiceDay />
                </span>
              )}
              {sale.state === "sold" && <WriteToSold sale={sale} />}
            </span>
            {sale.message && <span className="renewal-reason">{sale.message}</span>}
            {sale.isOutdated && (
              <span className="renewal-reason">
                {sale.expiration && (
                  <>
                    {t("renewals.endsNow")} <Moment of={sale.expiration} isServiceDay />.{" "}
                  </>
                )}
                {t("renewals.openAgain")}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
