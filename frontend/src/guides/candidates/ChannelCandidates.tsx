// The button in the form of a channel that shows its candidates.
import { Button } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../loading/lazyPart";

const CandidatesDialog = lazyPart(() => import("./CandidatesDialog"), { isDialog: true });

interface ChannelCandidatesProps {
  channel: number;
  title: string;
  onLinked: () => void;
}

export default function ChannelCandidates({ channel, title, onLinked }: ChannelCandidatesProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        {t("epgReview.candidates.open")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <CandidatesDialog
            of={{ channel }}
            name={title}
            onClose={() => setOpen(false)}
            onLinked={onLinked}
          />
        )}
      </Suspense>
    </>
  );
}
