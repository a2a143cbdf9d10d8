// Says whose movements these are, and takes the filter off again.
import { CloseButton } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Line } from "./queries";

interface UserChipProps {
  username: string;
  /** The operations shown: the user's name is in them. */
  lines: readonly Line[] | undefined;
  onRemove: () => void;
}

export function UserChip({ username, lines, onRemove }: UserChipProps) {
  const { t } = useTranslation();
  const found = lines?.find(({ accountUser }) => isSame(accountUser.username, username))?.accountUser;
  // The name stays where a search has no results.
  const [known, setKnown] = useState(found);
  if (found && found.username !== known?.username) setKnown(found);
  const user = found ?? (known && isSame(known.username, username) ? known : undefined);
  const name = user ? `${user.fullName} (${user.username})` : username;
  return (
    <p className="user-chip">
      <span>{t("creditsHistory.only", { name })}</span>
      <CloseButton
        size="sm"
        aria-label={t("creditsHistory.onlyRemove")}
        title={t("creditsHistory.onlyRemove")}
        onClick={onRemove}
      />
    </p>
  );
}

/** Usernames that differ in case only are the same user. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
