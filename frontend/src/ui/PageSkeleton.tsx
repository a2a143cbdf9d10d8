// The shape of a page that is on its way: heading, toolbar, lines.
import { Skeleton, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";

export function PageSkeleton() {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" role="status" aria-label={t("common.loading")}>
      <Skeleton h={28} w="14rem" mb="sm" />
      <Skeleton h={36} w="22rem" maw="100%" />
      {["a", "b", "c", "d", "e", "f", "g", "h"].map((line) => (
        <Skeleton key={line} h={40} />
      ))}
    </Stack>
  );
}
