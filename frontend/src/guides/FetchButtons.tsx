// Reading a guide now, out of its address or a file, and its settings. For users with the permission to change guides.
import { Button } from "@mantine/core";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadFormTexts } from "../i18n";
import { lazyPart } from "../loading/lazyPart";
import { UploadIcon } from "../ui/lazyIcons";
import { type GuideFetch, isUnfinished, useRead } from "./queries";

// A list of guides has no form, and may not have its texts.
const GuideSettingsDialog = lazyPart(
  async () => (await Promise.all([import("./GuideSettingsDialog"), loadFormTexts()]))[0],
  { isDialog: true },
);

interface ReadNowProps {
  of: GuideFetch;
  read: ReturnType<typeof useRead>;
  isQuiet?: boolean;
}

/** The button in a row of a list, which has no other. */
export function ReadNowAlone({ of: fetch }: { of: GuideFetch }) {
  return <ReadNow of={fetch} read={useRead(fetch)} isQuiet />;
}

const isUploading = ({ isPending, variables }: ReturnType<typeof useRead>) => isPending && !!variables.file;

function ReadNow({ of: fetch, read, isQuiet }: ReadNowProps) {
  const { t } = useTranslation();
  const { title } = fetch;
  return (
    <Button
      size="xs"
      variant={isQuiet ? "default" : undefined}
      disabled={isUploading(read)}
      loading={isUnfinished(fetch) || (read.isPending && !isUploading(read))}
      loaderProps={{ "aria-label": t("guideHealth.reading", { title }) }}
      aria-label={t("guideHealth.readNowOf", { title })}
      onClick={() => read.mutate({})}
    >
      {t("guideHealth.readNow")}
    </Button>
  );
}

export function FetchButtons({ of: fetch }: { of: GuideFetch }) {
  const { t } = useTranslation();
  const read = useRead(fetch);
  const input = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { title } = fetch;
  return (
    <div className="guide-actions">
      <ReadNow of={fetch} read={read} />
      <input
        ref={input}
        type="file"
        accept=".xml,.xmltv,.gz,.xz"
        aria-label={t("guideHealth.file", { title })}
        hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) read.mutate({ file });
          event.currentTarget.value = "";
        }}
      />
      <Button
        size="xs"
        variant="default"
        disabled={isUnfinished(fetch) || read.isPending}
        loading={isUploading(read)}
        loaderProps={{ "aria-label": t("guideHealth.uploading", { title }) }}
        leftSection={<UploadIcon size={16} />}
        aria-label={t("guideHealth.uploadOf", { title })}
        onClick={() => input.current?.click()}
      >
        {t("guideHealth.upload")}
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-label={t("guideHealth.settings.of", { title })}
        onClick={() => setOpen(true)}
      >
        {t("guideHealth.settings.open")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && <GuideSettingsDialog of={fetch} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  );
}
