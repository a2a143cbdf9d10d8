//! Argon2 in memory that goes back to the system with the hash.
//!
//! An allocator keeps what was freed for the next who asks, and glibc does so once for every thread: a few people signing
//! in left hundreds of megabytes behind. What is larger than 32 MiB it never keeps. So a hash asks for that much; only what
//! it fills becomes memory.

use argon2::{
    Algorithm, Argon2, Block, CustomizedPasswordHasher, Params, PasswordHasher, Version,
    password_hash::{
        Error, Result,
        phc::{Output, ParamsString, PasswordHash, Salt},
    },
};

/// Blocks of a kibibyte, more of them than glibc keeps (`DEFAULT_MMAP_THRESHOLD_MAX`).
const NEVER_KEPT: usize = 33 * 1024;

/// Argon2id in lent memory.
#[derive(Debug, Clone)]
pub(crate) struct Lent(pub(crate) Params);

impl PasswordHasher<PasswordHash> for Lent {
    fn hash_password_with_salt(&self, password: &[u8], salt: &[u8]) -> Result<PasswordHash> {
        self.hash_password_with_params(password, salt, self.0.clone())
    }
}

impl CustomizedPasswordHasher<PasswordHash> for Lent {
    type Params = Params;

    fn hash_password_customized(
        &self,
        password: &[u8],
        salt: &[u8],
        algorithm: Option<&str>,
        version: Option<u32>,
        params: Params,
    ) -> Result<PasswordHash> {
        let algorithm = algorithm.map(Algorithm::try_from).transpose()?.unwrap_or(Algorithm::Argon2id);
        let version = version.map(Version::try_from).transpose()?.unwrap_or(Version::V0x13);
        let mut blocks = Vec::with_capacity(params.block_count().max(NEVER_KEPT));
        blocks.resize(params.block_count(), Block::new());
        let mut buffer = [0; Output::MAX_LENGTH];
        let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
        let output = buffer.get_mut(..length).ok_or(Error::OutputSize)?;
        let salt = Salt::new(salt)?;
        let written = ParamsString::try_from(&params)?;
        Argon2::new(algorithm, version, params)
            .hash_password_into_with_memory(password, &salt, output, blocks)?;
        Ok(PasswordHash {
            algorithm: algorithm.ident(),
            version: Some(version.into()),
            params: written,
            salt: Some(salt),
            hash: Some(Output::new(output)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use argon2::PasswordVerifier;

    use super::*;

    #[test]
    fn hashes_are_those_of_argon2_itself() {
        let params = Params::new(64, 2, 1, None).unwrap();
        let lent = Lent(params.clone());
        let plain = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let salt = b"sixteen letters.";
        let hash = lent.hash_password_with_salt(b"Secret 1", salt).unwrap();
        assert_eq!(hash, plain.hash_password_with_salt(b"Secret 1", salt).unwrap());
        assert!(
            lent.verify_password(b"Secret 1", &hash).is_ok()
                && plain.verify_password(b"Secret 1", &hash).is_ok()
        );
        assert_eq!(lent.verify_password(b"secret 1", &hash), Err(Error::PasswordInvalid));
        // Kept since somebody chose other costs, or another algorithm.
        for algorithm in [Algorithm::Argon2i, Algorithm::Argon2d] {
            let older = Argon2::new(algorithm, Version::V0x10, Params::new(32, 3, 1, None).unwrap());
            let hash = older.hash_password_with_salt(b"Secret 1", salt).unwrap();
            assert!(lent.verify_password(b"Secret 1", &hash).is_ok(), "{hash}");
        }
    }
}
