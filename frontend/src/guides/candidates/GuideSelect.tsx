// Which guide candidates come from. Nothing for users who may not read guides.
import { Button, NativeSelect, type NativeSelectProps } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useTranslation } from "react-i18next";
import { useMay } from "../../access/session";
import { useGuideOptions } from "../../api/storedOptions";

interface GuideSelectProps extends Pick<NativeSelectProps, "aria-label" | "label" | "title"> {
  /** Empty for all of them. */
  value: string;
  onChoose: (guide: string) => void;
}

export function GuideSelect({ value, onChoose, ...input }: GuideSelectProps) {
  const { t } = useTranslation();
  const mayRead = useMay()("TVGUIDE_READ");
  const guides = useGuideOptions(mayRead);
  if (!mayRead) return null;
  return (
    <>
      <NativeSelect
        {...input}
        value={value}
        data={[{ value: "", label: t("epgReview.allGuides") }, ...guides.options]}
        error={guides.isError && t("list.failed")}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      {guides.isError && (
        <Button variant="subtle" px="xs" onClick={() => void guides.refetch()}>
          {t("common.retry")}
        </Button>
      )}
    </>
  );
}
