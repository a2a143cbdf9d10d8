// Adds the kind Podcast to the working tree, step by step as docs/adding-a-content-type.md says, from the files of
// concerts. scripts/check-new-kind runs it in a copy of the repository.
import { readFileSync, writeFileSync } from "node:fs";

const read = (path) => readFileSync(path, "utf8");

/** A file of concerts as one of podcasts. Genres, and what an item may lack, are those of concerts. */
function copy(from, to, change = (text) => text) {
  const renamed = read(from)
    .replace(/(?<!MISSING_OF_)CONCERTS/g, "PODCASTS")
    .replace(/\bConcert\b/g, "Podcast")
    .replaceAll("Concerts", "Podcasts")
    .replace(/\bconcert(s?)\b/g, "podcast$1")
    .replaceAll("concerts_", "podcasts_");
  writeFileSync(to, change(renamed));
}

/** Inserts lines before the only line that matches. */
function insertBefore(path, line, text) {
  const found = read(path);
  const parts = found.split(line);
  if (parts.length !== 2) throw new Error(`${path}: ${line} is there ${parts.length - 1} times`);
  writeFileSync(path, parts.join(text + line));
}

/** Adds entries to the object at the end of a path in a file of texts. */
function addText(path, at, entries) {
  const texts = JSON.parse(read(path));
  const object = at.reduce((found, key) => found[key], texts);
  if (object === undefined) throw new Error(`${path}: no ${at.join(".")}`);
  Object.assign(object, entries);
  writeFileSync(path, `${JSON.stringify(texts, null, 2)}\n`);
}

// 1. The kind.
insertBefore(
  "crates/domain-kernel/src/kind.rs",
  "            TvShows TvShow ",
  `            Podcasts Podcast podcasts "podcasts" "PODCAST" "Podcasts."
                ["PODCAST" ("Pódcast", "Podcast") played(Podcast) reported(Podcast) watched(Podcast) counted(podcasts)
                 linked(Podcasts ("Pódcasts", "Podcasts")) compared(TitleAndYear Address)];
`,
);

// 2. The struct.
copy("crates/domain-catalogue/src/concert.rs", "crates/domain-catalogue/src/podcast.rs");
insertBefore("crates/domain-catalogue/src/lib.rs", "mod public_view;", "mod podcast;\n");
insertBefore("crates/domain-catalogue/src/lib.rs", "pub use public_view", "pub use podcast::Podcast;\n");

// 3. The table.
const migration = "m20270101_000099_podcasts";
copy("migrations/src/m20261120_000008_concerts.rs", `migrations/src/${migration}.rs`, (text) =>
  text
    .replace("use crate::content::{Content, key};", "use crate::content::{Content, FLAGS, Media, key};")
    .replace(
      `        manager.create_table(table).await?;
        PODCASTS.create_indexes(manager).await`,
      `        PODCASTS.create(manager, table, "podcasts").await?;
        PODCASTS.index_filters(manager, &FLAGS).await?;
        PODCASTS.index_media(manager, Media { links: true, classification: false }).await`,
    )
    .replace("PODCASTS.drop(manager)", "PODCASTS.drop_created(manager)"),
);
insertBefore("migrations/src/lib.rs", "mod outbox_triggers;", `mod ${migration};\n`);
insertBefore("migrations/src/lib.rs", "];\n\n/// Applies [`ALL`].\n", `    &${migration}::Migration,\n`);

// 4. The entity.
copy("crates/adapter-seaorm/src/catalogue/concerts.rs", "crates/adapter-seaorm/src/catalogue/podcasts.rs");
insertBefore("crates/adapter-seaorm/src/catalogue/mod.rs", "mod projection;", "mod podcasts;\n");

// 6. The texts of the API.
for (const [language, one, missing] of [
  ["es", "pódcast", "El pódcast no fue encontrado"],
  ["en", "podcast", "The podcast was not found"],
]) {
  addText(`crates/api/locales/${language}.json`, [], {
    "podcasts.NOT_FOUND": missing,
    "kinds.podcasts.one": one,
    "kinds.podcasts.other": `${one}s`,
  });
}

// 7. The screen.
const contents = "frontend/src/features/catalogue/contents";
copy(`${contents}/concerts.tsx`, `${contents}/podcasts.tsx`);

// 9. The texts of the panel.
for (const [language, list, form] of [
  [
    "es",
    {
      search: "Buscar pódcasts...",
      create: "Crear pódcast",
      deleteTitle: "¿Seguro que quieres borrar este pódcast?",
      onlyActive: "Pódcasts activos",
      onlyInactive: "Pódcasts inactivos",
    },
    { details: "Detalles del pódcast" },
  ],
  [
    "en",
    {
      search: "Search podcasts...",
      create: "Create podcast",
      deleteTitle: "Are you sure you want to delete this podcast?",
      onlyActive: "Active podcasts",
      onlyInactive: "Inactive podcasts",
    },
    { details: "Podcast details" },
  ],
]) {
  const texts = "frontend/src/i18n";
  const name = language === "es" ? "Pódcasts" : "Podcasts";
  addText(`${texts}/${language}.json`, ["pages"], { podcasts: name });
  addText(`${texts}/${language}.json`, ["contents"], { podcasts: list });
  addText(`${texts}/forms.${language}.json`, ["contents"], { podcasts: form });
  addText(`${texts}/empty.${language}.json`, ["empty"], { podcasts: `${name}.` });
  addText(`${texts}/dashboards.${language}.json`, ["dashboards", "contents"], { podcasts: name });
  addText(`${texts}/dashboards.${language}.json`, ["dashboards", "issues"], { PODCAST: name });
}
insertBefore("frontend/src/features/dashboards/ActiveContents.tsx", "  documentaries:", '  podcasts: "podcasts",\n');

// 10. The specification, and the tests that name what it lists.
insertBefore("docs/spec/content-types.md", "## TV shows\n", "## Podcasts\n\n`/podcasts`, with the fields of concerts.\n\n");
insertBefore("frontend/src/testing/dashboards.ts", " documentaries: 7 }", " podcasts: 0,");
insertBefore("frontend/src/app/app.test.tsx", `      "Operaciones masivas",`, '      "Pódcasts",\n');
const dashboards = "frontend/src/features/dashboards/dashboards.test.tsx";
insertBefore(dashboards, '    "Documentales7",', '    "Pódcasts0",\n');
insertBefore(dashboards, '    "Episodios12",\n    "Tráileres0"', '    "Pódcasts0",\n');
writeFileSync(dashboards, read(dashboards).replace('"Tipos de contenido6"', '"Tipos de contenido7"'));
