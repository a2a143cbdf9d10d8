// Several addresses that were pasted at once: each is shown, checked and can be corrected or removed before it is added.
import { ActionIcon, NativeSelect, TextInput } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LinkQuality } from "../../api/enums/LinkQuality.gen";
import { newId } from "../../api/newId";
import { rules } from "../../api/rules.gen";
import { violationsOf } from "../../forms/rules";
import { violationText } from "../../forms/texts";
import { t as text } from "../../i18n";
import { optionsOf } from "../../i18n/enums";
import { CloseIcon } from "../../ui/icons";
import type { Link } from "./contents";

type Quality = NonNullable<Link["quality"]>;

export interface PastedLink {
  id: string;
  url: string;
  quality: Quality;
}

export function linesOf(pasted: string): string[] {
  return pasted
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Quality by the numbers and words in addresses. */
const hints: readonly [RegExp, Quality][] = [
  [/(^|[^a-z0-9])(2160p?|4k|uhd)([^a-z0-9]|$)/i, "4K"],
  [/(^|[^a-z0-9])(1080p?|fhd)([^a-z0-9]|$)/i, "FHD"],
  [/(^|[^a-z0-9])(720p?|hd)([^a-z0-9]|$)/i, "HD"],
  [/(^|[^a-z0-9])(480p?|sd)([^a-z0-9]|$)/i, "SD"],
];

export function pastedFrom(lines: readonly string[], quality: string): PastedLink[] {
  return lines.map((url) => ({
    id: newId(),
    url,
    quality: hints.find(([hint]) => hint.test(url))?.[1] ?? (quality as Quality),
  }));
}

/** What is wrong with one of them, in words. */
export function problemOf(
  { id, url }: PastedLink,
  all: readonly PastedLink[],
  others: readonly string[],
): string | undefined {
  const [violation] = violationsOf(rules.Link.properties.url, url.trim(), "links.url", true);
  if (violation) return violationText(violation);
  const isRepeated = others.includes(url) || all.find((one) => one.url === url)?.id !== id;
  return isRepeated ? text("links.pastedTwice") : undefined;
}

interface PastedLinksProps {
  links: readonly PastedLink[];
  /** The addresses that the item has already. */
  others: readonly string[];
  /** Says that another item has this address. */
  twinOf: (url: string) => ReactNode;
  onChange: (links: readonly PastedLink[]) => void;
}

export function PastedLinks({ links, others, twinOf, onChange }: PastedLinksProps) {
  const { t } = useTranslation();
  const put = (id: string, next: Partial<PastedLink>) =>
    onChange(links.map((one) => (one.id === id ? { ...one, ...next } : one)));
  const problems = links.map((one) => problemOf(one, links, others));
  const wrong = problems.filter(Boolean).length;
  return (
    <section aria-label={t("links.pasted", { count: links.length })}>
      <p className="quiet" role="status">
        {t("links.pasted", { count: links.length })}
        {wrong > 0 && ` ${t("links.pastedWrong", { count: wrong })}`}
      </p>
      <ul className="pasted-links">
        {links.map((one, index) => (
          <li key={one.id}>
            <TextInput
              aria-label={t("links.pastedUrl", { number: index + 1 })}
              value={one.url}
              error={problems[index]}
              aria-invalid={problems[index] ? true : undefined}
              spellCheck={false}
              onChange={(event) => put(one.id, { url: event.currentTarget.value })}
            />
            <NativeSelect
              aria-label={t("links.pastedQuality", { number: index + 1 })}
              data={optionsOf(LinkQuality)}
              value={one.quality}
              onChange={(event) => put(one.id, { quality: event.currentTarget.value as Quality })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t("links.pastedRemove", { number: index + 1 })}
              title={t("links.pastedRemove", { number: index + 1 })}
              disabled={links.length === 1}
              onClick={() => onChange(links.filter(({ id }) => id !== one.id))}
            >
              <CloseIcon />
            </ActionIcon>
            {!problems[index] && twinOf(one.url.trim())}
          </li>
        ))}
      </ul>
    </section>
  );
}
