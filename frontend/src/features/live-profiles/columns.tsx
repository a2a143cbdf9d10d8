// The columns of the list of profiles, and the badge of their state.
import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ProfileState } from "../../api/enums/ProfileState.gen";
import { t } from "../../i18n";
import { labelOf } from "../../i18n/enums";
import { formatNumber } from "../../i18n/formats";
import { CheckIcon, CloseIcon } from "../../ui/icons";
import type { Column } from "../../ui/list/columns";
import { Moment } from "../../ui/values";
import type { Profile } from "./queries";

const looks = {
  ACTIVE: { color: "teal", className: "status-on", Icon: CheckIcon },
  REVOKED: { color: "gray", className: "status-off", Icon: CloseIcon },
} as const;

export function StateBadge({ state }: { state: Profile["state"] }) {
  useTranslation(); // The name follows the language.
  const { Icon, ...look } = looks[state];
  return (
    <Badge variant="light" leftSection={<Icon size={12} />} {...look}>
      {labelOf(ProfileState, state)}
    </Badge>
  );
}

/** Whom it is for: a subscriber, or a key by its name. */
export function audienceOf({ username, keyName }: Pick<Profile, "username" | "keyName">): string {
  return username
    ? t("liveProfiles.ofSubscriber", { name: username })
    : t("liveProfiles.ofKey", { name: keyName ?? "" });
}

export function columns(): Column<Profile>[] {
  return [
    {
      key: "name",
      label: t("liveProfiles.fields.name"),
      isIdentity: true,
      sortable: true,
      render: () => null,
    },
    {
      key: "audience",
      label: t("liveProfiles.audience"),
      onCard: true,
      width: "14rem",
      inFile: ["username", "keyName"],
      render: audienceOf,
    },
    {
      key: "categories",
      label: t("liveProfiles.fields.categories"),
      needsRoom: true,
      onCard: true,
      width: "11rem",
      render: ({ categories }) =>
        categories.length > 0
          ? t("liveProfiles.someCategories", { count: categories.length })
          : t("liveProfiles.allCategories"),
    },
    {
      key: "hint",
      label: t("liveProfiles.hint"),
      needsRoom: true,
      width: "7.5rem",
      render: ({ hint }) => <code className="profile-hint">{hint}…</code>,
    },
    {
      key: "state",
      label: t("liveProfiles.state"),
      onCard: true,
      width: "8rem",
      render: ({ state }) => <StateBadge state={state} />,
    },
    {
      key: "lastUsedDate",
      label: t("liveProfiles.lastUsedDate"),
      needsRoom: true,
      sortable: true,
      onCard: true,
      width: "8.5rem",
      render: ({ lastUsedDate }) => <Moment of={lastUsedDate} none={t("liveProfiles.neverUsed")} />,
    },
    {
      key: "calls",
      label: t("liveProfiles.calls"),
      needsRoom: true,
      sortable: true,
      align: "right",
      width: "7rem",
      render: ({ calls }) => formatNumber(calls),
    },
  ];
}
