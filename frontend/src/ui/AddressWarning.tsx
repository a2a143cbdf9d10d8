// Says which parameters of the address a page does not have. Downloaded for the first such address.
import { Suspense, useState } from "react";
import { useLocation } from "react-router";
import { type Known, unknownIn } from "../routing/knownAddress";
import { seldomShown } from "./list/seldomShown";

const UnknownParameters = seldomShown(() => import("./list/lazy/UnknownParameters"), { isHint: true });

export function AddressWarning({ known }: { known: Known }) {
  const { search } = useLocation();
  const [wasUnknown, setWasUnknown] = useState(false);
  if (!wasUnknown && unknownIn(new URLSearchParams(search), known).length > 0) setWasUnknown(true);
  if (!wasUnknown) return null;
  return (
    <Suspense fallback={null}>
      <UnknownParameters known={known} text="list.unknownOnPage" />
    </Suspense>
  );
}
