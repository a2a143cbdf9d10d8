// A secret that is shown once, in a dialog: until it was copied, neither the dialog nor the page is left without a
// confirmation.
import { Button, Group } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { askAndCloseSecret } from "../ui/askAndClose";
import { SecretField } from "../ui/SecretField";
import { LeaveGuard } from "./LeaveGuard";
import { type SecretTexts, secretQuestion } from "./secretQuestion";

interface SecretOnce {
  /** Undefined until it is there. */
  secret: string | undefined;
  texts: SecretTexts;
  /** Whose it is, where the texts say so. */
  name?: string;
  onClose: () => void;
}

/** The content of the dialog, and what closes it. */
export function useSecretOnce({ secret, texts, name, onClose }: SecretOnce) {
  const { t } = useTranslation();
  const [wasCopied, setWasCopied] = useState(false);
  const [isClosed, setClosed] = useState(false);
  const latest = useRef(onClose);
  latest.current = onClose;
  // Once the guard is gone: closing may lead to another page.
  useEffect(() => {
    if (isClosed) latest.current();
  }, [isClosed]);
  const question = secretQuestion(texts);
  const close = () => void askAndCloseSecret(wasCopied, question, () => setClosed(true));
  const content = secret !== undefined && (
    <>
      {!wasCopied && !isClosed && <LeaveGuard question={question} />}
      <SecretField
        once={t(`${texts}.once`)}
        label={t(`${texts}.label`, { name })}
        help={t(`${texts}.help`, { name })}
        value={secret}
        copyLabel={t(`${texts}.copy`)}
        copiedLabel={t(`${texts}.copied`)}
        selectedLabel={t(`${texts}.selected`)}
        onCopied={() => setWasCopied(true)}
      />
      <Group mt="lg" justify="flex-end">
        <Button onClick={close}>{t(`${texts}.done`)}</Button>
      </Group>
    </>
  );
  return { content, close };
}
