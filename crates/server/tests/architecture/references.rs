//! References to documentation: every `docs/….md#anchor` in a source file and every relative link
//! in a Markdown file leads to a file, and to one of its headings; every name of a test, a function
//! or a column in a page is in the sources.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use super::root;

/// Folders with files outside of the repository.
const SKIPPED: [&str; 6] = [".git", "target", "node_modules", "build", "dist", "data"];
/// Extensions of files that cite documentation; scripts have none.
const SOURCES: [&str; 11] = ["rs", "ts", "tsx", "mjs", "css", "html", "sql", "toml", "md", "yml", "example"];

/// All texts of the repository, by path from the root.
fn texts(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_symlink() || SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|end| SOURCES.contains(&&*end.to_string_lossy()))
                && let Ok(text) = fs::read_to_string(&path)
            {
                texts.insert(path.strip_prefix(root).unwrap().to_owned(), text);
            }
        }
    }
    texts
}

/// The references of a text from the root of the repository: `docs/spec/users.md#expiration`.
fn citations(text: &str) -> Vec<&str> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
    let mut found = Vec::new();
    for (start, _) in text.match_indices("docs/") {
        let before = text[..start].rsplit(|c| !is_path(c)).next().unwrap_or_default();
        if !before.chars().all(|c| "./".contains(c)) {
            continue;
        }
        let rest = &text[start..];
        let path = &rest[..rest.find(|c| !is_path(c)).unwrap_or(rest.len())];
        // A sentence or a clause may end with the reference.
        let path = path.trim_end_matches(['.', ':']);
        if Path::new(path).extension().is_none_or(|end| end != "md") {
            continue;
        }
        let anchor = rest[path.len()..].strip_prefix('#').map_or(0, |anchor| {
            let is_anchor = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
            1 + anchor.find(|c| !is_anchor(c)).unwrap_or(anchor.len())
        });
        found.push(&rest[..path.len() + anchor]);
    }
    found
}

/// The lines of a Markdown text that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The targets of a Markdown text's links within the repository.
fn links(text: &str) -> Vec<String> {
    // Without code spans.
    let lines = prose(text).map(|line| line.split('`').step_by(2).collect::<String>());
    let lines = lines.collect::<Vec<_>>().join("\n");
    let targets = lines.match_indices("](").filter_map(|(at, _)| lines[at + 2..].split([')', '\n']).next());
    targets
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .map(|target| target.trim_matches(['<', '>']).to_owned())
        .collect()
}

/// The anchors that GitHub gives the headings of a Markdown text.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let slug: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let again = (1..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.clone()).chain(again).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

/// `docs/spec/../adr` as `docs/adr`; `None` outside of the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => normal.pop().then_some(())?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(normal)
}

/// Whether the target of a reference exists; `from` is the folder that it is relative to.
fn leads_somewhere(
    root: &Path,
    texts: &BTreeMap<PathBuf, String>,
    own: &Path,
    from: &Path,
    to: &str,
) -> bool {
    let (path, anchor) = to.split_once('#').map_or((to, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { Some(own.to_owned()) } else { normal(&from.join(path)) };
    let Some(target) = target else { return false };
    match anchor {
        None => texts.contains_key(&target) || root.join(&target).exists(),
        Some(anchor) => texts.get(&target).is_some_and(|text| anchors(text).contains(anchor)),
    }
}

/// Every dead reference, as `file: reference`.
fn dead(root: &Path, texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut dead = Vec::new();
    for (file, text) in texts {
        let is_markdown = file.extension().is_some_and(|end| end == "md");
        let links = if is_markdown { links(text) } else { Vec::new() };
        let folder = file.parent().unwrap_or(Path::new(""));
        let linked = links.iter().map(|to| (folder, to.as_str()));
        let cited = citations(text).into_iter().map(|to| (Path::new(""), to));
        let broken = linked.chain(cited).filter(|(from, to)| !leads_somewhere(root, texts, file, from, to));
        dead.extend(broken.map(|(_, to)| format!("{}: {to}", file.display())));
    }
    dead
}

/// Code spans outside of code blocks.
fn quoted(text: &str) -> Vec<&str> {
    prose(text).flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Names of several words in pages of `docs/` that are in no source, as `file: name`. One that ends
/// with `…` is a prefix. Decisions (`docs/adr`) are excluded: they also name former and external
/// names.
fn unknown_names(texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let is_page = |file: &Path| file.extension().is_some_and(|end| end == "md");
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_name = |text: &str| {
        text.contains('_') && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(is_part)
    };
    let sources = texts.iter().filter(|(file, _)| !is_page(file));
    let words: BTreeSet<&str> =
        sources.flat_map(|(_, text)| text.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let is_known = |name: &str| match name.strip_suffix('…') {
        Some(beginning) => words.range(beginning..).next().is_some_and(|word| word.starts_with(beginning)),
        None => words.contains(name),
    };
    let pages = texts
        .iter()
        .filter(|(file, _)| is_page(file) && file.starts_with("docs") && !file.starts_with("docs/adr"));
    pages
        .flat_map(|(file, text)| {
            let names = quoted(text).into_iter().filter(|text| is_name(text.trim_end_matches('…')));
            names
                .filter(|name| !is_known(name))
                .map(|name| format!("{}: {name}", file.display()))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Encodes the URLs of examples in this file, so that none of them is found in it.
fn here(text: &str) -> String {
    text.replace("DOCS", "docs")
}

#[test]
fn every_name_in_the_documentation_is_one_of_the_sources() {
    assert_eq!(unknown_names(&texts(&root())), Vec::<String>::new());
}

/// The recipe itself is compiled by `scripts/check-new-kind` only, which takes long.
#[test]
fn functions_called_by_the_recipe_of_a_content_type_exist() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (recipe, functions) = (read("scripts/new-kind/add-podcasts.mjs"), read("migrations/src/content.rs"));
    let calls: Vec<&str> =
        recipe.split("PODCASTS.").skip(1).filter_map(|rest| Some(rest.split_once('(')?.0)).collect();
    assert!(calls.contains(&"index_filters"), "{calls:?}");
    for name in calls {
        assert!(functions.contains(&format!("    pub async fn {name}(")), "{name}");
    }
}

#[test]
fn unknown_names_are_found() {
    let texts = [
        (
            "DOCS/a.md",
            "`is_known` `is_gone` `is_kn…` `was_…` `other words_of_it` `_sort`\n```\n`is_code`\n```\n",
        ),
        ("DOCS/adr/a.md", "`is_gone`\n"),
        ("src/a.rs", "fn is_known() {}\n"),
    ];
    let texts = texts.map(|(path, text)| (PathBuf::from(here(path)), text.to_owned())).into();
    assert_eq!(unknown_names(&texts), ["DOCS/a.md: is_gone", "DOCS/a.md: was_…"].map(here));
}

/// The lines of a Markdown text with more than a hundred characters; tables and code cannot be
/// wrapped.
fn long_lines(text: &str) -> impl Iterator<Item = &str> {
    prose(text).filter(|line| !line.starts_with('|') && line.chars().count() > 100)
}

#[test]
fn pages_wrap_at_a_hundred_characters() {
    let texts = texts(&root());
    let pages = texts.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "md"));
    let long: Vec<_> =
        pages.flat_map(|(path, text)| long_lines(text).map(move |line| (path, line))).collect();
    assert!(long.is_empty(), "{long:#?}");
    let wide = "a ".repeat(51);
    let code = format!("```\n{wide}\n```\n| {wide}|\n{wide}\n");
    assert_eq!(long_lines(&code).count(), 1);
}

#[test]
fn every_reference_to_documentation_has_a_target() {
    let root = root();
    let texts = texts(&root);
    let cited: usize = texts.values().map(|text| citations(text).len()).sum();
    assert!(cited > 100, "only {cited} references were found: update this test");
    assert_eq!(dead(&root, &texts), Vec::<String>::new());
}

#[test]
fn dead_references_are_found() {
    let texts = [
        (
            "DOCS/a.md",
            "# A\n\n## The `b` of c, twice\n\n[1](#the-b-of-c-twice) [2](b.md#b-1) [3](c.md) [4](#c) [5](https://d.example)\n",
        ),
        ("DOCS/b.md", "# B\n\n## B\n\n```\n# D\n[1](c.md)\n```\n\n`[2](c.md)` [3](../../c.md) [4](#d)\n"),
        (
            "src/a.rs",
            "//! See DOCS/a.md, DOCS/b.md#b-1: DOCS/b.md#d (DOCS/c.md). https://d.example/DOCS/d.md\n",
        ),
    ];
    let texts = texts.map(|(path, text)| (PathBuf::from(here(path)), here(text))).into();
    let expected = [
        "DOCS/a.md: c.md",
        "DOCS/a.md: #c",
        "DOCS/b.md: ../../c.md",
        "DOCS/b.md: #d",
        "src/a.rs: DOCS/b.md#d",
        "src/a.rs: DOCS/c.md",
    ];
    assert_eq!(dead(Path::new("no-such-folder"), &texts), expected.map(here));
}
