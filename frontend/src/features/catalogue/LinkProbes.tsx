// Below the links of an item that is saved: whether they play. Downloaded when a form shows it.
import { Suspense } from "react";
import { useForm } from "../../forms/useDraftForm";
import { loadTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import type { ProbedKind } from "./ItemProbes";

const ItemProbes = lazyPart(
  async () => (await Promise.all([import("./ItemProbes"), loadTexts("probes")]))[0],
);

export function LinkProbes({ kind }: { kind: ProbedKind }) {
  const id = useForm().draft.get("id") as number | undefined;
  if (id === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ItemProbes kind={kind} id={id} />
    </Suspense>
  );
}
