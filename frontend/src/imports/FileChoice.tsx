// The first step of an import: the file, or a template to begin with.
import { Anchor, Button, Group, Loader, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Anchor.layer.css";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { templateAddress } from "../api/resourceFiles";
import { currentLanguage } from "../i18n";
import { FailureAlert } from "../ui/FailureAlert";
import { fileLink } from "../ui/fileLink";
import { UploadIcon } from "../ui/lazyIcons";
import type { ImportTarget } from "./target";

interface FileChoiceProps {
  target: ImportTarget;
  /** The name of the file that is being read. */
  reading: string | undefined;
  failure: string | undefined;
  onChoose: (file: File) => void;
  onCancel: () => void;
}

const accepted =
  ".csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export function FileChoice({ target, reading, failure, onChoose, onCancel }: FileChoiceProps) {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (file: File | undefined) => {
    if (file && !reading) onChoose(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const template = (format: string) =>
    fileLink(templateAddress(target.resource, { format, language: currentLanguage() }));
  return (
    <Stack gap="md">
      <Text size="sm">{t("imports.intro")}</Text>
      {target.note && <Text size="sm">{target.note}</Text>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same for the keyboard */}
      <div
        className="import-drop"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          ref={input}
          type="file"
          accept={accepted}
          aria-label={t("imports.file")}
          hidden
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
        {reading ? (
          <Group gap="sm" role="status">
            <Loader size="sm" />
            <Text size="sm">{t("imports.reading", { file: reading })}</Text>
          </Group>
        ) : (
          <>
            <Button
              leftSection={<UploadIcon size={16} />}
              onClick={() => input.current?.click()}
              data-autofocus
            >
              {t("imports.choose")}
            </Button>
            <Text size="sm" c="dimmed">
              {t("imports.drop")}
            </Text>
          </>
        )}
      </div>
      <FailureAlert>{failure}</FailureAlert>
      <Text size="sm">
        {t("imports.template")}{" "}
        <Anchor {...template("xlsx")} size="sm">
          {t("imports.templateXlsx")}
        </Anchor>{" "}
        ·{" "}
        <Anchor {...template("csv")} size="sm">
          {t("imports.templateCsv")}
        </Anchor>
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
      </Group>
    </Stack>
  );
}
