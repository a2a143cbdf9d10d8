// How far the subscription has come, what apps read of it, and when renewals show the customer.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatServiceDay } from "../../i18n/formats";
import { AlertIcon, CheckIcon } from "../../ui/icons";
import { ToneBadge } from "../../ui/ToneBadge";
import { noteQueries, useShowAgain } from "../renewals/notes";
import { CreditsBadge } from "../users/badges";
import { Expiration } from "../users/Expiration";
import type { User } from "../users/user";
import { Loaded, Part } from "./Part";

export function Subscription({ user, mayChange }: { user: User; mayChange: boolean }) {
  const { t } = useTranslation();
  const snooze = useQuery(noteQueries.snooze(user.username));
  const showAgain = useShowAgain();
  const { playback } = user;
  return (
    <Part title={t("customer.subscription")}>
      <dl className="customer-figures">
        <div>
          <dt>{t("customer.ends")}</dt>
          <dd>
            <Expiration of={user} />
          </dd>
        </div>
        <div>
          <dt>{t("customer.credits")}</dt>
          <dd>
            <CreditsBadge of={user} />
          </dd>
        </div>
        {playback && (
          <div>
            <dt>{t("customer.app")}</dt>
            <dd>
              <ToneBadge
                tone={playback.mayPlay ? "green" : "red"}
                icon={playback.mayPlay ? <CheckIcon size={12} /> : <AlertIcon size={12} />}
              >
                {t(playback.mayPlay ? "customer.mayPlay" : "customer.mayNotPlay")}
              </ToneBadge>
              <span className="quiet customer-reason">{t(`customer.reasons.${playback.reason}`)}</span>
            </dd>
          </div>
        )}
        <div>
          <dt>{t("customer.snooze")}</dt>
          <dd>
            <Loaded of={snooze} height={22}>
              {({ until, author }) =>
                until ? (
                  <>
                    {t("customer.snoozed", { day: formatServiceDay(until), name: author })}
                    {mayChange && (
                      <Button variant="default" size="compact-xs" onClick={() => void showAgain(user)}>
                        {t("customer.showAgain")}
                      </Button>
                    )}
                  </>
                ) : (
                  <span className="quiet">{t("customer.notSnoozed")}</span>
                )
              }
            </Loaded>
          </dd>
        </div>
      </dl>
    </Part>
  );
}

/** The stock of an agent. */
export function AgentStock({ user }: { user: User }) {
  const { t } = useTranslation();
  return (
    <Part title={t("customer.stock")}>
      <div className="customer-stock tabular">
        <CreditsBadge of={user} />
      </div>
    </Part>
  );
}
