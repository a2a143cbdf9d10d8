// The button that opens the reversal of an operation, and for whom there is one.
import { ActionIcon } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isAdmin } from "../../access/permissions";
import type { useUser } from "../../access/session";
import { formatTime } from "../../i18n/lazyFormats";
import { UndoIcon } from "../../ui/lazyIcons";
import { signed } from "./movements";
import type { Line } from "./queries";

/** Once only, and a reversal is final. An agent may reverse it or request it at any time. */
export function canBeReversedBy(user: ReturnType<typeof useUser>, line: Line): boolean {
  const { reversed, reversesOperationId, reversibleUntil } = line;
  return !reversed && reversesOperationId === null && (isAdmin(user) || reversibleUntil !== null);
}

export function ReverseButton({ of: line, onClick }: { of: Line; onClick: (line: Line) => void }) {
  const { t } = useTranslation();
  const { reversibleUntil: until } = line;
  const what = t("creditsHistory.reverse.of", {
    amount: signed(line.amount),
    name: line.targetUser.fullName,
  });
  const isOpen = until && Date.parse(until) > Date.now();
  const label = isOpen
    ? `${what}, ${t("creditsHistory.reverse.untilShort", { time: formatTime(until) })}`
    : what;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => onClick(line)}
    >
      <UndoIcon />
    </ActionIcon>
  );
}
