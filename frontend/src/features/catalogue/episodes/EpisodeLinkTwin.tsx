// Names another episode, of any show, that has a link with this address.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { paths } from "../../../routing/paths";
import { FoundTwin } from "../Twin";
import { episodeName } from "./names";
import { seriesQueries } from "./queries";

export function EpisodeLinkTwin({ ownId, url }: { ownId: number | undefined; url: string }) {
  const { t } = useTranslation();
  const [settled] = useDebouncedValue(url, 300);
  const found = useQuery({ ...seriesQueries.withLink(settled), enabled: Boolean(settled) });
  return (
    <FoundTwin
      value={url}
      settled={settled}
      rows={found.data?.content}
      ownId={ownId}
      nameOf={episodeName}
      addressOf={(twin) => paths.episode(twin.tvShowId, twin.id)}
      text={(name) => t("contents.urlUsed", { name })}
    />
  );
}
