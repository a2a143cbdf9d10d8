// The streams of an item as a table, with whatever can be done to each.

import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Language } from "../../api/enums/Language.gen";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { labelOf } from "../../i18n/enums";
import { StatusBadge } from "../../ui/StatusBadge";
import { Dash } from "../../ui/values";
import type { Link } from "./contents";
import "./links.css";

interface LinksTableProps {
  links: readonly Link[];
  actions?: (link: Link) => ReactNode;
}

export function LinksTable({ links, actions }: LinksTableProps) {
  const { t } = useTranslation();
  // The roles are said once more: as cards on a phone the elements would lose theirs.
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section className="links-scroll" aria-label={t("links.table")} tabIndex={0}>
      <Table role="table" verticalSpacing={6} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("contents.link.fields.quality")}</Table.Th>
            <Table.Th>{t("contents.link.fields.url")}</Table.Th>
            <Table.Th>{t("contents.link.fields.audioLanguages")}</Table.Th>
            <Table.Th>{t("contents.link.fields.subtitleLanguages")}</Table.Th>
            <Table.Th>{t("status.label")}</Table.Th>
            {actions && (
              <Table.Th>
                <span className="visually-hidden">{t("list.actions")}</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {links.map((link) => (
            <Table.Tr role="row" key={link.id}>
              <Table.Td role="cell" className="nowrap" data-label={t("contents.link.fields.quality")}>
                {labelOf(LinkQuality, link.quality ?? "")}
              </Table.Td>
              <Table.Td role="cell" className="link-url" data-label={t("contents.link.fields.url")}>
                {link.url}
              </Table.Td>
              <Table.Td role="cell" data-label={t("contents.link.fields.audioLanguages")}>
                <Languages values={link.audioLanguages} />
              </Table.Td>
              <Table.Td role="cell" data-label={t("contents.link.fields.subtitleLanguages")}>
                <Languages values={link.subtitleLanguages} />
              </Table.Td>
              <Table.Td role="cell" data-label={t("status.label")}>
                <StatusBadge active={link.active ?? true} />
              </Table.Td>
              {actions && (
                <Table.Td role="cell" ta="right">
                  {actions(link)}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Languages({ values }: { values: readonly string[] | undefined }) {
  if (!values?.length) return <Dash />;
  return <span>{values.map((value) => labelOf(Language, value)).join(", ")}</span>;
}
