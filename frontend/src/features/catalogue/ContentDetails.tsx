// One item to look at, nothing to change: heading, name, and what its kind has to show.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { contentEntries, type Kind } from "../../access/kinds";
import { useRecentItem } from "../../access/recent";
import { useMay } from "../../access/session";
import { unlessMissing } from "../../api/problem";
import { FormSkeleton } from "../../forms/FormSkeleton";
import { textAt } from "../../i18n";
import { paths } from "../../routing/paths";
import { EditIcon } from "../../ui/icons";
import { PageHeading } from "../../ui/PageHeading";
import { ItemFailure, useBackLink } from "./ContentForm";
import type { ContentDefinition } from "./define";
import { contentQueries } from "./queries";

export function ContentDetails<K extends Kind>({
  definition,
  id,
}: {
  definition: ContentDefinition<K>;
  id: number;
}) {
  const { t } = useTranslation();
  const { kind, Details } = definition;
  const may = useMay();
  const back = useBackLink(kind);
  const item = useQuery(contentQueries.one(kind, id));
  const found = unlessMissing(item);
  const mayEdit = may(`${contentEntries[kind].entity}_UPDATE`);
  // Where the palette leads: one entry for each item.
  useRecentItem(
    found && {
      of: kind,
      name: definition.nameOf(found),
      path: mayEdit ? paths.editContent(kind, id) : paths.content(kind, id),
    },
  );
  if (item.isError && !found)
    return <ItemFailure kind={kind} error={item.error} onRetry={() => void item.refetch()} />;
  if (!found) return <FormSkeleton />;
  return (
    <>
      <PageHeading
        title={textAt(`contents.${kind}.details`)}
        back={back}
        actions={
          mayEdit && (
            <Button
              component={Link}
              to={paths.editContent(kind, id)}
              leftSection={<EditIcon />}
              className="icon-on-phone"
            >
              {t("common.edit")}
            </Button>
          )
        }
      />
      {Details && <Details item={found} />}
    </>
  );
}
