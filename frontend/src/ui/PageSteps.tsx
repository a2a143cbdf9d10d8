// The pages of a short list in a dialog: one back, one on, and which of how many. A single page has none.
import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../i18n/formats";

interface PageStepsProps {
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

export function PageSteps({ page, pages, onPage }: PageStepsProps) {
  const { t } = useTranslation();
  if (pages <= 1) return null;
  const step = { variant: "default", size: "compact-sm" } as const;
  return (
    <Group justify="space-between">
      <Button {...step} disabled={page === 0} onClick={() => onPage(page - 1)}>
        {t("list.previous")}
      </Button>
      <Text size="sm" className="tabular">
        {formatNumber(page + 1)} / {formatNumber(pages)}
      </Text>
      <Button {...step} disabled={page + 1 >= pages} onClick={() => onPage(page + 1)}>
        {t("list.next")}
      </Button>
    </Group>
  );
}
