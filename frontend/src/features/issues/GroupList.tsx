// The items that have open reports, so that twenty complaints are one job.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { IssueContentType } from "../../api/enums/IssueContentType.gen";
import { optionsOf } from "../../i18n/enums";
import { formOf } from "../../routing/paths";
import { EditIcon } from "../../ui/icons";
import { type Action, ActionButtons } from "../../ui/list/ActionButtons";
import { answerOf } from "../../ui/list/answer";
import { ListExport } from "../../ui/list/export/ListExport";
import { ListScreen } from "../../ui/list/ListScreen";
import { useInLanguage } from "../../ui/list/useInLanguage";
import { useListAddress } from "../../ui/list/useListAddress";
import { useNextPage } from "../../ui/list/useNextPage";
import { type PendingChange, useTargetActions } from "./actions";
import { useIssueAddress } from "./address";
import { ContentTypeBadge } from "./badges";
import { groupColumns } from "./columns";
import { IssueTabs } from "./IssueTabs";
import { ListIcon } from "./icons";
import { type Group, groupQueryOf, issueQueries } from "./queries";

const defaults = { name: "issue-groups", size: 10, filters: ["contentType"] };

export function GroupList({ onAsk }: { onAsk: (change: PendingChange) => void }) {
  const { t } = useTranslation();
  const { reportsOf } = useIssueAddress();
  const { state, change } = useListAddress(defaults);
  const list = useQuery(issueQueries.groups(state));
  const prefetchNext = useNextPage(state, list.data?.totalPages, (next) => issueQueries.groups(next));
  const actionsOf = useTargetActions(onAsk);
  const columns = useInLanguage(groupColumns);

  return (
    <ListScreen<Group>
      name={defaults.name}
      title={t("issues.title")}
      searchLabel={t("issues.searchGroups")}
      columns={columns}
      filters={[
        { key: "contentType", label: t("issues.fields.contentType"), options: optionsOf(IssueContentType) },
      ]}
      state={state}
      change={change}
      answer={answerOf(list)}
      aside={
        <ListExport
          list={defaults.name}
          file="spreadsheets/issue-groups"
          query={groupQueryOf(state)}
          total={list.data?.totalElements}
          columns={columns}
        />
      }
      header={<IssueTabs />}
      identity={(group, leave) => (
        <span className="issue-title">
          <Link to={reportsOf(group.id)} data-row={group.id} onClick={leave}>
            {group.title}
          </Link>
          <ContentTypeBadge type={group.contentType} />
        </span>
      )}
      actions={(group, leave) => {
        const [resolve, ...others] = actionsOf({ is: "group", group });
        const reports: Action = {
          label: t("issues.reportsOf", { name: group.title }),
          verb: t("issues.reportsVerb"),
          Icon: ListIcon,
          to: `/issues${reportsOf(group.id).search}`,
          onClick: leave,
        };
        const item: Action[] = group.item
          ? [
              {
                label: t("issues.openItem", { name: group.title }),
                verb: t("issues.openItemVerb"),
                Icon: EditIcon,
                to: formOf(group.item),
                onClick: leave,
              },
            ]
          : [];
        return (
          <ActionButtons
            name={group.title}
            actions={[...(resolve ? [resolve] : []), reports, ...item, ...others]}
          />
        );
      }}
      onIntent={prefetchNext}
    />
  );
}
