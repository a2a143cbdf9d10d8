// The button that creates an item of a list.
import { Button } from "@mantine/core";
import { Link } from "react-router";
import { AddIcon } from "../icons";

/** Leads to a form of its own, or opens one here. */
export type Create = { label: string } & ({ to: string } | { onClick: () => void });

const createLook = { leftSection: <AddIcon />, className: "icon-on-phone" };

/** `onLeave` is called before its link leaves the list. */
export function CreateButton(create: Create & { onLeave?: () => void }) {
  return "to" in create ? (
    <Button component={Link} to={create.to} onClick={create.onLeave} {...createLook}>
      {create.label}
    </Button>
  ) : (
    <Button onClick={create.onClick} {...createLook}>
      {create.label}
    </Button>
  );
}
