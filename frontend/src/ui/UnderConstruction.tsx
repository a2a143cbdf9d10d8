// Stands in for a menu entry whose page is not built yet.
import { Button, List, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { EntryKey } from "../app/navigation";
import { paths } from "../app/paths";
import { hasText, textAt } from "../i18n";
import { BackIcon, ToolsIcon } from "./icons";
import { PageHeading } from "./PageHeading";

interface UnderConstructionProps {
  page: EntryKey;
  /** What the page will do, if it can be said already. */
  features?: readonly string[];
  /** When it is expected, in words. */
  estimate?: string;
}

export default function UnderConstruction({ page, features = [], estimate }: UnderConstructionProps) {
  const { t } = useTranslation();
  const summary = `pending.${page}`;
  return (
    <>
      <PageHeading title={t(`pages.${page}`)} />
      <section className="under-construction">
        <ToolsIcon size={36} />
        <Text fw={600} size="lg">
          {t("pending.title")}
        </Text>
        <Text c="dimmed">{hasText(summary) ? textAt(summary) : t("pending.summary")}</Text>
        {features.length > 0 && (
          <List ta="left">
            {features.map((feature) => (
              <List.Item key={feature}>{feature}</List.Item>
            ))}
          </List>
        )}
        {estimate && <Text size="sm">{t("pending.estimate", { estimate })}</Text>}
        <Button component={Link} to={paths.home} variant="default" leftSection={<BackIcon />} mt="sm">
          {t("pending.back")}
        </Button>
      </section>
    </>
  );
}
