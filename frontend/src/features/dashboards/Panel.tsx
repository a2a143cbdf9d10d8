// A part of a dashboard, with its heading.
import { type ReactNode, useId } from "react";

interface PanelProps {
  title: string;
  help?: string;
  children: ReactNode;
}

export function Panel({ title, help, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {help && <p className="panel-help">{help}</p>}
      {children}
    </section>
  );
}
