// Viewers' reports: tabs with their counts, one by one or grouped by what they are about, and the report that is open
// beside the list.
import { Suspense, useState } from "react";
import type { PendingChange } from "./actions";
import { useIssueAddress } from "./address";
import { GroupList } from "./GroupList";
import "./issues.css";
import { loadTexts } from "../../i18n";
import { lazyPart } from "../../loading/lazyPart";
import { ReportList } from "./ReportList";

const ReportDrawer = lazyPart(
  async () => (await Promise.all([import("./ReportDrawer"), loadTexts("probes")]))[0],
  { isDialog: true },
);
const ChangeDialog = lazyPart(() => import("./ChangeDialog"), { isDialog: true });

export default function IssuesPage() {
  const address = useIssueAddress();
  const [pending, setPending] = useState<PendingChange>();
  const isGrouped = address.isGrouped && address.tab === "reported";
  return (
    <>
      {isGrouped ? <GroupList onAsk={setPending} /> : <ReportList onAsk={setPending} />}
      <Suspense fallback={null}>
        {address.report !== undefined && (
          <ReportDrawer
            key={address.report}
            id={address.report}
            onAsk={setPending}
            onClose={() => address.change({ report: undefined })}
          />
        )}
        {pending && <ChangeDialog pending={pending} onClose={() => setPending(undefined)} />}
      </Suspense>
    </>
  );
}
