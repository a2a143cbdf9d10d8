// Where toasts appear; fetched with the first one.
import { lazy, Suspense, useEffect, useState } from "react";
import { onFirstToast } from "./toast";

const Notifications = lazy(() => import("./Notifications"));

export function Toasts() {
  const [isOn, setOn] = useState(false);
  useEffect(() => onFirstToast(() => setOn(true)), []);
  return isOn ? (
    <Suspense fallback={null}>
      <Notifications />
    </Suspense>
  ) : null;
}
