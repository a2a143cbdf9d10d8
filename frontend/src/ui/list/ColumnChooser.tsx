// Which columns a person wants to see; at least the first always stays.
import { ActionIcon, Popover } from "@mantine/core";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../loading/lazyPart";
import { ColumnsIcon } from "../icons";
import type { ColumnChoicesProps } from "./lazy/ColumnChoices";

const load = () => import("./lazy/ColumnChoices");
const ColumnChoices = lazyPart(load);

export function ColumnChooser(props: ColumnChoicesProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const toggle = async () => {
    // The focus goes to the first box: it is there when the list opens. Where it does not load, its place says so.
    if (!isOpen) await load().catch(() => {});
    setOpen(!isOpen);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal={false}
    >
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t("list.columns")}
          title={t("list.columns")}
          onClick={() => void toggle()}
        >
          <ColumnsIcon />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("list.columns")}>
        <Suspense fallback={null}>
          <ColumnChoices {...props} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
