// Removes unknown parameters from the address, and shows a message.
import { Alert } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { textAt } from "../../../i18n";
import { formatList } from "../../../i18n/lazyFormats";
import { type Known, unknownIn } from "../../../routing/knownAddress";

interface UnknownParametersProps {
  known: Known;
  /** Names the parameters, as `parts`. */
  text: "list.unknownAddress" | "list.unknownOnPage";
}

export default function UnknownParameters({ known, text }: UnknownParametersProps) {
  const { t } = useTranslation();
  const [address, setAddress] = useSearchParams();
  const [left, setLeft] = useState<string[]>([]);
  const unknown = unknownIn(address, known);
  const key = unknown.join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what is in it
  useEffect(() => {
    if (unknown.length === 0) return;
    setLeft(unknown.map((name) => `${name}=${address.get(name)}`));
    setAddress(
      (before) => {
        for (const name of unknown) before.delete(name);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [key]);

  return (
    <div role="status">
      {left.length > 0 && (
        <Alert
          color="yellow"
          mb="sm"
          withCloseButton
          closeButtonLabel={t("common.close")}
          onClose={() => setLeft([])}
        >
          {textAt(text, { parts: formatList(left) })}
        </Alert>
      )}
    </div>
  );
}
