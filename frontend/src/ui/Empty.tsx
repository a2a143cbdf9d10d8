// Nothing to show, said calmly: what is missing, what it is for, and the first thing to do.
import type { ReactNode } from "react";

interface EmptyProps {
  children: ReactNode;
  help?: string;
  action?: ReactNode;
}

export function Empty({ children, help, action }: EmptyProps) {
  return (
    <div className="empty">
      <p>{children}</p>
      {help && <p className="empty-help">{help}</p>}
      {action}
    </div>
  );
}
