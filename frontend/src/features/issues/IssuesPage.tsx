// Viewers' reports: tabs with their counts, one by one or grouped by what they are about, and the report that is open
// beside the list.
import { Suspense, useState } from "react";
import type { Asked } from "./actions";
import { useIssueAddress } from "./address";
import { GroupList } from "./GroupList";
import "./issues.css";
import { lazyPart } from "../../loading/lazyPart";
import { ReportList } from "./ReportList";

const ReportDrawer = lazyPart(() => import("./ReportDrawer"), { isDialog: true });
const ChangeDialog = lazyPart(() => import("./ChangeDialog"), { isDialog: true });

export default function IssuesPage() {
  const address = useIssueAddress();
  const [asked, setAsked] = useState<Asked>();
  const isGrouped = address.isGrouped && address.tab === "reported";
  return (
    <>
      {isGrouped ? <GroupList onAsk={setAsked} /> : <ReportList onAsk={setAsked} />}
      <Suspense fallback={null}>
        {address.report !== undefined && (
          <ReportDrawer
            key={address.report}
            id={address.report}
            onAsk={setAsked}
            onClose={() => address.change({ report: undefined })}
          />
        )}
        {asked && <ChangeDialog asked={asked} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  );
}
