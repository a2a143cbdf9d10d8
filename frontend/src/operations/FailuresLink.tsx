// The rows of an operation that were not changed or imported, as a file.
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { failuresAddress } from "../api/resourceFiles";
import { fileLink } from "../ui/fileLink";
import { DownloadIcon } from "../ui/lazyIcons";
import "./operations.css";
import type { Operation } from "./queries";

/** Whether there are such rows. */
export const hasFailures = ({ counts: { refused, conflicts, missing } }: Operation) =>
  refused + conflicts + missing > 0;

export function FailuresLink({ operation, children }: { operation: Operation; children: ReactNode }) {
  if (!hasFailures(operation)) return null;
  return (
    <Button
      component="a"
      {...fileLink(failuresAddress(operation.id))}
      variant="default"
      size="compact-sm"
      className="operation-failures"
      leftSection={<DownloadIcon size={16} />}
    >
      {children}
    </Button>
  );
}
