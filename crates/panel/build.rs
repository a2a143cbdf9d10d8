//! The folder of the built panel must exist, so that nobody needs Node to compile the rest.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../frontend/dist");
    std::fs::create_dir_all(&folder).expect("frontend/dist can be made");
    println!("cargo:rerun-if-changed={}", folder.display());
}
