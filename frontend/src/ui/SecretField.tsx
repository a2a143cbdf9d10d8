// A secret that is shown once: the notice that says so, the secret, and the button that copies it.
import { Alert, Button, TextInput } from "@mantine/core";
import "@mantine/core/styles/Alert.layer.css";
import { useEffect, useRef, useState } from "react";
import { AlertIcon, CheckIcon } from "./icons";
import { CopyIcon } from "./lazyIcons";
import "./secret-field.css";

interface SecretFieldProps {
  /** Says that it is not shown again. */
  once: string;
  label: string;
  help: string;
  value: string;
  copyLabel: string;
  copiedLabel: string;
  /** Says that the browser did not copy it, and that it is selected instead. */
  selectedLabel: string;
  onCopied?: () => void;
}

export function SecretField(props: SecretFieldProps) {
  const { once, label, help, value, copyLabel, copiedLabel, selectedLabel, onCopied } = props;
  const [outcome, setOutcome] = useState<"copied" | "selected">();
  const input = useRef<HTMLInputElement>(null);
  // What was pressed to get it may be gone: the focus must not fall to the page.
  useEffect(() => input.current?.focus(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setOutcome("copied");
      onCopied?.();
    } catch {
      // Without https there is no clipboard: the field is selected, for Ctrl+C.
      input.current?.select();
      setOutcome("selected");
    }
  };
  return (
    <>
      <Alert color="yellow" icon={<AlertIcon />} mb="md">
        {once}
      </Alert>
      <div className="secret-field">
        <TextInput
          label={label}
          description={outcome === "selected" ? selectedLabel : help}
          inputWrapperOrder={["label", "input", "description"]}
          value={value}
          readOnly
          ref={input}
          data-autofocus
          onFocus={({ currentTarget }) => currentTarget.select()}
          onCopy={onCopied}
        />
        <Button
          variant="light"
          leftSection={outcome === "copied" ? <CheckIcon /> : <CopyIcon />}
          onClick={() => void copy()}
        >
          {outcome === "copied" ? copiedLabel : copyLabel}
        </Button>
      </div>
      <span className="visually-hidden" aria-live="polite">
        {outcome === "copied" ? copiedLabel : outcome && selectedLabel}
      </span>
    </>
  );
}
