// A source whose list was not read yet.
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageHeading } from "../../ui/PageHeading";
import { isUnfinished, type Run, type Source } from "./queries";
import { Summary } from "./Summary";
import { useBack } from "./useBack";

export function Unread({ source, runs }: { source: Source; runs: readonly Run[] }) {
  const { t } = useTranslation();
  const back = useBack();
  return (
    <>
      <PageHeading title={source.title} back={back.link} />
      <Summary source={source} runs={runs} finished={undefined} />
      {!isUnfinished(runs[0]) && (
        <Text className="playlist-unread">
          {t(source.url ? "playlists.unread" : "playlists.unreadUpload")}
        </Text>
      )}
    </>
  );
}
