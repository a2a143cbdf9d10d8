//! Compresses the demo catalogue, which is embedded in the binary and rarely loaded.

use std::{env, ffi::OsStr, fs, io, path::PathBuf};

use flate2::{Compression, write::GzEncoder};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=demo");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where files go"));
    for entry in fs::read_dir("demo")? {
        let path = entry?.path();
        if path.extension() != Some(OsStr::new("ndjson")) {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let packed = fs::File::create(out.join(format!("{name}.ndjson.gz")))?;
        let mut packed = GzEncoder::new(packed, Compression::best());
        io::copy(&mut fs::File::open(&path)?, &mut packed)?;
        packed.finish()?;
    }
    Ok(())
}
