//! Creates the folder of the built panel if it is missing, so that the rest compiles without Node.

fn main() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../frontend/dist");
    std::fs::create_dir_all(&folder).expect("frontend/dist can be made");
    println!("cargo:rerun-if-changed={}", folder.display());
}
