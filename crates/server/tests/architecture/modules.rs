//! Modules of a crate: siblings have no circular dependencies.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use syn::{
    Attribute, File, ItemMod, ItemUse, Meta, UseTree,
    visit::{self, Visit},
};

/// A module by its path from the root of its crate; the root is empty.
type Module = Vec<String>;

/// Names of its own crate in a file.
#[derive(Default)]
struct Names {
    /// All paths, as written.
    paths: Vec<Vec<String>>,
    /// Imported names with their paths.
    imports: BTreeMap<String, Vec<String>>,
}

impl Names {
    fn add(&mut self, tree: &UseTree, prefix: &[String], is_public: bool) {
        let with = |name: String| [prefix, &[name]].concat();
        let (path, name) = match tree {
            UseTree::Path(path) => {
                return self.add(&path.tree, &with(path.ident.to_string()), is_public);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.add(item, prefix, is_public));
            }
            UseTree::Name(name) => (with(name.ident.to_string()), name.ident.to_string()),
            UseTree::Rename(rename) => (with(rename.ident.to_string()), rename.rename.to_string()),
            UseTree::Glob(_) => (prefix.to_vec(), "*".to_owned()),
        };
        self.imports.insert(name, path.clone());
        // A re-exported name is used by the module that names it.
        if !is_public {
            self.paths.push(path);
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |meta: &Meta| matches!(meta, Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test");
    attributes.iter().any(|attribute| is_test(&attribute.meta))
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.add(&item.tree, &[], is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The modules of a crate with files of their own.
fn modules(source: &Path) -> BTreeMap<Module, Names> {
    let mut modules = BTreeMap::new();
    let mut folders = vec![(source.to_owned(), Vec::new())];
    while let Some((folder, parent)) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let mut module = parent.clone();
            if !["lib", "main", "mod"].contains(&name.as_str()) {
                module.push(name);
            }
            if path.is_dir() {
                folders.push((path, module));
            } else if path.extension().is_some_and(|end| end == "rs") {
                let file: File = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
                let mut names = Names::default();
                names.visit_file(&file);
                modules.insert(module, names);
            }
        }
    }
    modules
}

/// The module of a path, through re-exports. `None` for another crate.
fn target(modules: &BTreeMap<Module, Names>, from: &Module, path: &[String], depth: u8) -> Option<Module> {
    let mut rest = path;
    let mut module = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => from.clone(),
        name if modules.contains_key(&[from.as_slice(), &[name.to_owned()]].concat()) => from.clone(),
        _ => return None,
    };
    while let Some(first @ ("crate" | "self" | "super")) = rest.first().map(String::as_str) {
        if first == "super" {
            module.pop();
        }
        rest = &rest[1..];
    }
    while let Some(name) = rest.first() {
        let child = [module.as_slice(), std::slice::from_ref(name)].concat();
        if modules.contains_key(&child) {
            module = child;
            rest = &rest[1..];
            continue;
        }
        if let Some(import) = modules.get(&module)?.imports.get(name).filter(|_| depth > 0) {
            return target(modules, &module, import, depth - 1);
        }
        break;
    }
    Some(module)
}

/// For each module, the dependencies between its children.
fn uses(modules: &BTreeMap<Module, Names>) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
    let mut uses: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, names) in modules {
        let targets = names.paths.iter().filter_map(|path| target(modules, from, path, 4));
        for to in targets {
            let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let children = uses.entry(from[..shared].to_vec()).or_default();
                children.entry(one.clone()).or_default().insert(other.clone());
            }
        }
    }
    uses
}

/// Nodes of a graph that can be reached from themselves.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<&str> {
    let reaches_itself = |start: &String| {
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(name) = open.pop() {
            for name in uses.get(name).into_iter().flatten() {
                if reached.insert(name) {
                    open.push(name);
                }
            }
        }
        reached.contains(start)
    };
    uses.keys().filter(|name| reaches_itself(name)).map(String::as_str).collect()
}

/// The cycles of a crate, as `parent: one, other`.
pub(super) fn circles_of(source: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (parent, children) in uses(&modules(source)) {
        let circle = circles(&children);
        if !circle.is_empty() {
            found.push(format!("{}: {}", parent.join("::"), circle.join(", ")));
        }
    }
    found
}

#[test]
fn circles_are_found_through_re_exports() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod leaf; mod one; mod two; mod three; pub use two::Two;");
    write("one.rs", "use crate::{Two, leaf::Leaf}; pub struct One(Two, Leaf);");
    write("two/mod.rs", "mod part; pub use part::Two;");
    write("two/part.rs", "pub struct Two(Box<crate::one::One>);");
    write("three.rs", "use crate::{leaf::Leaf, one::One}; #[cfg(test)] mod tests { use super::*; }");
    write("leaf.rs", "pub struct Leaf;");
    assert_eq!(circles_of(folder.path()), [": one, two"]);
    write("two/part.rs", "pub struct Two;");
    assert_eq!(circles_of(folder.path()), [] as [String; 0]);
}
