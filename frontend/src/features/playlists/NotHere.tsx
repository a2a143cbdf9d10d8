// A source that could not be loaded, or is not there any more.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { isMissing, messageOf } from "../../api/problem";
import { ErrorView } from "../../ui/ErrorView";
import { BackIcon } from "../../ui/icons";
import { PageHeading } from "../../ui/PageHeading";
import { useBack } from "./useBack";

export function NotHere({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useTranslation();
  const { link } = useBack();
  return (
    <>
      <PageHeading title={t("pages.playlists")} />
      <ErrorView
        title={t("playlists.loadFailed")}
        message={messageOf(error)}
        onRetry={isMissing(error) ? undefined : onRetry}
        action={
          <Button component={Link} {...link} size="xs" variant="default" leftSection={<BackIcon size={14} />}>
            {link.label}
          </Button>
        }
      />
    </>
  );
}
