// Shown by a page whose item failed to load or does not exist: the reason, and a link to the list.
import { Button } from "@mantine/core";
import { Link } from "react-router";
import { isMissing, messageOf } from "../api/problem";
import { ErrorView } from "./ErrorView";
import { BackIcon } from "./icons";
import { PageHeading } from "./PageHeading";

interface NotLoadedProps {
  /** What the list is called. */
  page: string;
  title: string;
  /** Why, or the failure that says so. */
  reason: string | Error;
  onRetry?: () => void;
  back: { to: string; label: string; state?: unknown };
}

export function NotLoaded({ page, title, reason, onRetry, back }: NotLoadedProps) {
  const { label, ...link } = back;
  return (
    <>
      <PageHeading title={page} />
      <ErrorView
        title={title}
        message={typeof reason === "string" ? reason : messageOf(reason)}
        onRetry={isMissing(reason) ? undefined : onRetry}
        action={
          <Button component={Link} {...link} size="xs" variant="default" leftSection={<BackIcon size={14} />}>
            {label}
          </Button>
        }
      />
    </>
  );
}
