// TV guides that the list of a source names: those that are there already, and the others to be added.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useMay } from "../../access/session";
import { lookups } from "../../api/lookups";
import { isNamedCompressed, isSameAddress } from "../../guides/address";
import { paths } from "../../routing/paths";
import type { Run, Source } from "./queries";

interface ListGuidesProps {
  source: Source;
  of: Run;
}

/** Placeholder for credentials in addresses, for users without the permission to change sources. */
const mask = "***";

export function ListGuides({ source, of: { guides } }: ListGuidesProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay();
  const heading = useId();
  const mayRead = may("TVGUIDE_READ");
  const known = useQuery({ ...lookups.guides, enabled: mayRead && guides.length > 0 });
  if (guides.length === 0) return null;
  // Until it is known which are there none is added twice.
  const mayAdd = may("TVGUIDE_CREATE") && !(mayRead && known.isPending);
  const add = (url: string) => {
    const copy = { title: source.title, url, gzip: isNamedCompressed(url) };
    navigate(paths.newContent("tv-guides"), { state: { copy } });
  };
  return (
    <div className="playlist-guides">
      <h2 id={heading}>{t("playlists.guides.title")}</h2>
      <ul aria-labelledby={heading}>
        {guides.map((url) => {
          const guide = known.data?.content.find((one) => isSameAddress(one.url, url));
          return (
            <li key={url}>
              <code className="playlist-url">{url}</code>
              {guide ? (
                <span className="quiet">
                  {t("playlists.guides.known")}{" "}
                  {may("TVGUIDE_UPDATE") ? (
                    <Link to={paths.editContent("tv-guides", guide.id)}>{guide.title}</Link>
                  ) : (
                    <span>{guide.title}</span>
                  )}
                </span>
              ) : (
                mayAdd &&
                !url.includes(mask) && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={t("playlists.guides.addOf", { url })}
                    onClick={() => add(url)}
                  >
                    {t("playlists.guides.add")}
                  </Button>
                )
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
