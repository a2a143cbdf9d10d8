// Empty state: what is missing, what it is for, and the first action.
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
