// The saved views of a list: shows, deletes and saves them, and makes one the default that the menus open.

import { ActionIcon, Button, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { useUser } from "../../access/session";
import { RoleCode as roleLabels } from "../../api/enums/RoleCode.gen";
import { messageOf } from "../../api/problem";
import { rules } from "../../api/rules.gen";
import { labelOf, optionsOf } from "../../i18n/enums";
import { confirm } from "../confirm";
import { ErrorView } from "../ErrorView";
import { FailureAlert } from "../FailureAlert";
import { DeleteIcon } from "../icons";
import { SaveIcon, StarIcon } from "../lazyIcons";
import { plain } from "../plain";
import { useDefaultView, useDeleteView, useSaveView, useUpdateView } from "./changes";
import { type StoredSavedView, savedViews } from "./queries";
import { hasColumns, isShown, listsWithoutMenu, viewQuery } from "./query";
import "./saved-views.css";

export interface SavedViewsProps {
  list: string;
  size: number;
  hidden: readonly string[];
  onHidden: (hidden: string[]) => void;
  onClose: () => void;
}

export default function SavedViews(props: SavedViewsProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...savedViews, staleTime: 0 });
  if (error && !data)
    return (
      <ErrorView title={t("savedViews.failed")} message={messageOf(error)} onRetry={() => void refetch()} />
    );
  const views = data?.filter(({ list }) => list === props.list) ?? [];
  return (
    <Stack gap="sm" className="saved-views">
      {data && views.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("savedViews.explanation")}
        </Text>
      )}
      {views.length > 0 && (
        <ul>
          {views.map((view) => (
            <ViewRow key={view.id} view={view} {...props} />
          ))}
        </ul>
      )}
      <SaveForm views={views} {...props} />
    </Stack>
  );
}

function ViewRow({ view, size, hidden, onHidden, onClose }: SavedViewsProps & { view: StoredSavedView }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search } = useLocation();
  const { username, roleCode } = useUser();
  const setDefault = useDefaultView();
  const remove = useDeleteView();
  const save = useUpdateView();
  const { name, isDefault, owner, sharedWith } = view;
  const isOwn = owner.toLowerCase() === username.toLowerCase();
  const mayDelete = isOwn || roleCode === "superadmin" || roleCode === "admin";
  const hasMenu = !listsWithoutMenu.includes(view.list);
  const isCurrent = isShown(view.query, search, size) && hasColumns(view, hidden);
  const update = () => {
    const { list, sharedWith: role } = view;
    const query = viewQuery(search, size);
    save.mutate({ id: view.id, view: { list, name, query, hiddenColumns: [...hidden], sharedWith: role } });
  };
  const show = () => {
    if (view.hiddenColumns) onHidden(view.hiddenColumns);
    navigate({ search: view.query }, { preventScrollReset: true });
    onClose();
  };
  const askAndDelete = async () => {
    const goesAhead = await confirm({
      title: t("savedViews.deleteTitle", { name }),
      consequence: t(sharedWith ? "savedViews.deleteShared" : "savedViews.deleteOwn"),
      verb: t("savedViews.delete"),
    });
    if (goesAhead) remove.mutate(view);
  };
  return (
    <li>
      <button type="button" className="view-name" aria-current={isCurrent || undefined} onClick={show}>
        {name}
        {sharedWith && <small>{sharingOf(view, isOwn)}</small>}
      </button>
      {isOwn && !isCurrent && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("savedViews.update", { name })}
          title={t("savedViews.update", { name })}
          onClick={update}
        >
          <SaveIcon />
        </ActionIcon>
      )}
      {hasMenu && (
        <ActionIcon
          variant="subtle"
          color={isDefault ? undefined : "gray"}
          aria-pressed={isDefault}
          aria-label={t("savedViews.default", { name })}
          title={t("savedViews.default", { name })}
          onClick={() => setDefault.mutate({ id: view.id, isDefault: !isDefault })}
        >
          <StarIcon />
        </ActionIcon>
      )}
      {mayDelete && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("savedViews.deleteOne", { name })}
          title={t("savedViews.deleteOne", { name })}
          onClick={() => void askAndDelete()}
        >
          <DeleteIcon />
        </ActionIcon>
      )}
    </li>
  );

  function sharingOf(shared: StoredSavedView, own: boolean): string {
    return own
      ? t("savedViews.sharedWith", { role: labelOf(roleLabels, shared.sharedWith ?? "") })
      : t("savedViews.sharedBy", { name: shared.owner });
  }
}

function SaveForm({ views, list, size, hidden }: SavedViewsProps & { views: StoredSavedView[] }) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const { username, roleCode } = useUser();
  const [name, setName] = useState("");
  const [chosenRole, setRole] = useState<string>();
  const [isMissing, setMissing] = useState(false);
  const save = useSaveView();
  const text = name.trim();
  const same = views.find(
    (view) => view.owner.toLowerCase() === username.toLowerCase() && plain(view.name) === plain(text),
  );
  const mayShare = roleCode === "superadmin" || roleCode === "admin";
  // A view that is replaced stays shared with its role until another is chosen.
  const role = (mayShare && (chosenRole ?? same?.sharedWith)) || "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(text === "");
    if (text === "") return;
    const view = {
      list,
      name: text,
      query: viewQuery(search, size),
      hiddenColumns: [...hidden],
      sharedWith: (role || null) as StoredSavedView["sharedWith"],
    };
    save.mutate(
      { id: same?.id, view },
      {
        onSuccess: () => {
          setName("");
          setRole(undefined);
        },
      },
    );
  };
  const reason = save.error?.violations.find(({ field }) => field === "name" || field === "list")?.message;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <TextInput
          label={t("savedViews.name")}
          value={name}
          maxLength={rules.SavedView.properties.name.maxLength}
          error={isMissing ? t("savedViews.nameMissing") : reason}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setMissing(false);
            save.reset();
          }}
        />
        {mayShare && (
          <NativeSelect
            label={t("savedViews.share")}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value)}
            data={[
              { value: "", label: t("savedViews.nobody") },
              ...optionsOf(roleLabels).filter(({ value }) => value !== "app"),
            ]}
          />
        )}
        <FailureAlert title={t("savedViews.notSaved")}>
          {save.error && !reason && messageOf(save.error)}
        </FailureAlert>
        <Button type="submit" size="compact-md" variant="default" loading={save.isPending}>
          {same ? t("savedViews.replace", { name: same.name }) : t("savedViews.save")}
        </Button>
      </Stack>
    </form>
  );
}
