// Where toasts appear; fetched once the first page is there.
import { Suspense, useEffect, useState } from "react";
import { afterFirstPage } from "../loading/firstPage";
import { lazyPart, retried } from "../loading/lazyPart";
import { onFirstToast } from "./toast";

const load = () => import("./Notifications");
const Notifications = lazyPart(load, { isDialog: true });

export function Toasts() {
  const [isOn, setOn] = useState(false);
  useEffect(() => onFirstToast(() => setOn(true)), []);
  // Prefetched: it also has to report that the server is unreachable.
  useEffect(() => void retried(afterFirstPage(load)).catch(() => {}), []);
  return isOn ? (
    <Suspense fallback={null}>
      <Notifications />
    </Suspense>
  ) : null;
}
