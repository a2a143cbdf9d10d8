// Sessions: device, address, when they began and were last used, and a button to end one where it is one's own.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DayAndTime } from "../../ui/DayAndTime";
import { deviceName } from "../../ui/deviceName";
import type { Column } from "../../ui/list/columns";
import { ShortList } from "../../ui/list/ShortList";
import { ToneBadge } from "../../ui/ToneBadge";
import type { Session } from "./queries";
import "./sessions.css";

interface SessionTableProps {
  label: string;
  sessions: Session[];
  onEnd?: (session: Session) => void;
}

export function SessionTable({ label, sessions, onEnd }: SessionTableProps) {
  const { t } = useTranslation();
  const deviceOf = ({ device }: Session) => (device ? deviceName(device) : t("sessions.unknownDevice"));
  const columns: Column<Session>[] = [
    {
      key: "device",
      label: t("sessions.device"),
      isIdentity: true,
      render: (session) => (
        <span title={session.device ?? undefined}>
          {deviceOf(session)}
          {session.current && (
            <ToneBadge tone="green" className="session-current">
              {t("sessions.current")}
            </ToneBadge>
          )}
        </span>
      ),
    },
    {
      key: "address",
      label: t("sessions.address"),
      width: "clamp(8rem, 12vw, 11rem)",
      onCard: true,
      render: ({ address }) => <span className="tabular">{address ?? "—"}</span>,
    },
    {
      key: "createdDate",
      label: t("sessions.signedIn"),
      width: "clamp(7rem, 12vw, 10.5rem)",
      onCard: true,
      render: ({ createdDate }) => <DayAndTime of={createdDate} />,
    },
    {
      key: "lastUsedDate",
      label: t("sessions.lastUsed"),
      width: "clamp(7rem, 12vw, 10.5rem)",
      onCard: true,
      render: ({ lastUsedDate }) => <DayAndTime of={lastUsedDate} />,
    },
  ];
  const end =
    onEnd &&
    ((session: Session) =>
      session.current ? null : (
        <Button
          size="xs"
          variant="default"
          aria-label={t("sessions.endOf", { device: deviceOf(session) })}
          onClick={() => onEnd(session)}
        >
          {t("sessions.end")}
        </Button>
      ));
  return (
    <div className="session-table">
      <ShortList label={label} columns={columns} rows={sessions} actions={end} actionsWidth="9rem" />
    </div>
  );
}
