// What is seen at /: a greeting and the ways on. Dashboards will take its place, role by role.
import { SimpleGrid, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useMay, useUser } from "../../access/session";
import { useBuiltPages } from "../../app/layout/useMenus";
import { paths } from "../../app/paths";
import { AddIcon, FilmIcon, TagIcon } from "../../ui/icons";
import { PageHeading } from "../../ui/PageHeading";

// Whoever has none of these roles has no work here: viewers of the service, and roles yet unheard of.
const staff = ["superadmin", "admin", "agent", "contentManager"];

export default function HomePage() {
  const user = useUser();
  return staff.includes(user.roleCode) ? <StaffHome /> : <NoPanel roleName={user.roleName} />;
}

function StaffHome() {
  const { t } = useTranslation();
  const user = useUser();
  const may = useMay();
  const pages = useBuiltPages();
  return (
    <>
      <PageHeading title={t("home.greeting", { name: user.fullName || user.username })} />
      <Text c="dimmed" mb="lg">
        {pages.length > 0 ? t("home.intro") : t("home.nothing")}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }}>
        {pages.map(({ key, path, content }) => (
          <section key={key} className="home-card">
            {key === "movies" ? <FilmIcon size={22} /> : <TagIcon size={22} />}
            <h2>
              <Link to={path}>{t(`pages.${key}`)}</Link>
            </h2>
            {content && (
              <>
                <p>{t(`contents.${content.kind}.summary`)}</p>
                {may(`${content.entity}_CREATE`) && (
                  <Link className="home-create" to={paths.newContent(content.kind)}>
                    <AddIcon size={15} />
                    {t(`contents.${content.kind}.create`)}
                  </Link>
                )}
              </>
            )}
          </section>
        ))}
      </SimpleGrid>
    </>
  );
}

function NoPanel({ roleName }: { roleName: string }) {
  const { t } = useTranslation();
  return (
    <section className="under-construction">
      <PageHeading title={t("home.noPanel")} />
      <Text c="dimmed">{t("home.noPanelRole", { role: roleName })}</Text>
    </section>
  );
}
