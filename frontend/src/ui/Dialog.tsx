// The panel's dialog: named by its title, closed by Escape and the cross, filling the screen of a phone.
import { Modal, Portal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./modal.css";
import { useFirstField } from "./useFirstField";
import { useFocusReturn } from "./useFocusReturn";
import { useIsTopmost } from "./useIsTopmost";

interface DialogProps {
  title: string;
  onClose: () => void;
  size?: "md" | "lg" | "xl";
  /** Whether it contains a form: a click outside does not close it. */
  isForm?: boolean;
  /** False during the closing animation, after which the parent unmounts it. */
  isOpen?: boolean;
  children: ReactNode;
}

/** Duration of the closing animation in milliseconds. */
export const closingTime = 300;

export function Dialog({
  title,
  onClose,
  size = "md",
  isForm = false,
  isOpen = true,
  children,
}: DialogProps) {
  const { t } = useTranslation();
  const body = useRef<HTMLDivElement>(null);
  useFirstField(body, isForm);
  useFocusReturn();
  const isTopmost = useIsTopmost(isOpen);
  const fullScreen = useMediaQuery("(max-width: 640px)") && isForm;
  // Also in tests, where the library's own portal renders in place: a form in a dialog is in no other form.
  return (
    <Portal>
      <Modal.Root
        withinPortal={false}
        opened={isOpen}
        transitionProps={{ exitDuration: closingTime }}
        onClose={() => isTopmost() && onClose()}
        size={size}
        centered
        fullScreen={fullScreen}
        closeOnClickOutside={!isForm}
        zIndex={300}
      >
        <Modal.Overlay />
        <Modal.Content>
          {/* Not the library's header: inside a dialog that would be a second banner of the page. */}
          <div className="dialog-head">
            <Modal.Title>{title}</Modal.Title>
            <Modal.CloseButton aria-label={t("common.close")} />
          </div>
          <Modal.Body ref={body}>{children}</Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </Portal>
  );
}
