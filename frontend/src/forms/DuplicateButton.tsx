// Opens the form of something new with the values of what is edited.
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { Draft } from "./draft";

interface DuplicateButtonProps {
  draft: Draft<object>;
  /** The address of the form that creates one. */
  to: string;
  /** What the copy begins with, where that is not everything but secrets. */
  copyOf?: (values: Record<string, unknown>) => object;
}

export function DuplicateButton({ draft, to, copyOf = (values) => values }: DuplicateButtonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Button
      variant="default"
      onClick={() => navigate(to, { state: { copy: copyOf(draft.storableValues()) } })}
    >
      {t("form.duplicate")}
    </Button>
  );
}
