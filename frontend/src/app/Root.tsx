// The panel as it is mounted.
import { StrictMode } from "react";
import { App } from "./App";

export function Root() {
  return (
    <StrictMode>
      <App />
    </StrictMode>
  );
}
