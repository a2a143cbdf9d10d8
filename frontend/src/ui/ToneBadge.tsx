// A badge whose meaning is in its word, its colour and, with an icon, its shape.
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import "./tone.css";

export type Tone = "violet" | "blue" | "cyan" | "orange" | "gray" | "green" | "yellow" | "red";

interface ToneBadgeProps {
  tone: Tone;
  icon?: ReactNode;
  title?: string;
  className?: string;
  children: ReactNode;
}

export function ToneBadge({ tone, icon, title, className = "", children }: ToneBadgeProps) {
  return (
    <Badge variant="light" className={`tone ${className}`} data-tone={tone} leftSection={icon} title={title}>
      {children}
    </Badge>
  );
}
