// Names another episode, of any show, that has a link with this address.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { paths } from "../../../routing/paths";
import { TwinWarning } from "../Twin";
import { episodeName } from "./names";
import { seriesQueries } from "./queries";

export function EpisodeLinkTwin({ ownId, url }: { ownId: number | undefined; url: string }) {
  const { t } = useTranslation();
  const [settled] = useDebouncedValue(url, 300);
  const found = useQuery({ ...seriesQueries.withLink(settled), enabled: Boolean(settled) });
  const twin = found.data?.content.find(({ id }) => id !== ownId);
  if (!twin || url !== settled) return <output className="visually-hidden" />;
  return (
    <TwinWarning
      name={episodeName(twin)}
      to={paths.episode(twin.tvShowId, twin.id)}
      text={(name) => t("contents.urlUsed", { name })}
    />
  );
}
