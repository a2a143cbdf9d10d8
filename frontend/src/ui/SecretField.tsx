// A secret that is shown once, with the button that copies it.
import { Button, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { CheckIcon, CopyIcon } from "./icons";
import "./secret-field.css";

interface SecretFieldProps {
  label: string;
  help: string;
  value: string;
  copyLabel: string;
  copiedLabel: string;
}

export function SecretField({ label, help, value, copyLabel, copiedLabel }: SecretFieldProps) {
  const [isCopied, setCopied] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // What was pressed to get it may be gone: the focus must not fall to the page.
  useEffect(() => input.current?.focus(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      // Without https there is no clipboard: the field is selected, for Ctrl+C.
      input.current?.select();
    }
  };
  return (
    <>
      <div className="secret-field">
        <TextInput
          label={label}
          description={help}
          inputWrapperOrder={["label", "input", "description"]}
          value={value}
          readOnly
          ref={input}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          variant="light"
          leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
          onClick={() => void copy()}
        >
          {isCopied ? copiedLabel : copyLabel}
        </Button>
      </div>
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? copiedLabel : ""}
      </span>
    </>
  );
}
