// Sessions as a table: device, address, when they began and were last used, and a button to end one where it is one's own.
import { Button, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatDay, formatTime } from "../../i18n/formats";
import { ToneBadge } from "../../ui/ToneBadge";
import { deviceName } from "./deviceName";
import type { Session } from "./queries";
import "./sessions.css";

const dayAndTime = (moment: string) => `${formatDay(moment)}, ${formatTime(moment)}`;

export function SessionTable({
  label,
  sessions,
  onEnd,
}: {
  label: string;
  sessions: Session[];
  onEnd?: (session: Session) => void;
}) {
  const { t } = useTranslation();
  return (
    <Table.ScrollContainer
      minWidth={520}
      className="session-table"
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } as object }}
    >
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("sessions.device")}</Table.Th>
            <Table.Th>{t("sessions.address")}</Table.Th>
            <Table.Th>{t("sessions.signedIn")}</Table.Th>
            <Table.Th>{t("sessions.lastUsed")}</Table.Th>
            {onEnd && (
              <Table.Th>
                <span className="visually-hidden">{t("sessions.actions")}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => {
            const device = session.device ? deviceName(session.device) : t("sessions.unknownDevice");
            return (
              <Table.Tr key={session.id}>
                <Table.Td title={session.device ?? undefined}>
                  <span className="session-device">{device}</span>
                  {session.current && (
                    <ToneBadge tone="green" className="session-current">
                      {t("sessions.current")}
                    </ToneBadge>
                  )}
                </Table.Td>
                <Table.Td className="tabular">{session.address ?? "—"}</Table.Td>
                <Table.Td className="tabular">{dayAndTime(session.createdDate)}</Table.Td>
                <Table.Td className="tabular">{dayAndTime(session.lastUsedDate)}</Table.Td>
                {onEnd && (
                  <Table.Td className="session-actions">
                    {!session.current && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={t("sessions.endOf", { device })}
                        onClick={() => onEnd(session)}
                      >
                        {t("sessions.end")}
                      </Button>
                    )}
                  </Table.Td>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
