//! Argon2 whose memory is returned to the system after each hash.

use argon2::{
    Algorithm, Argon2, Block, CustomizedPasswordHasher, Params, PasswordHasher, Version,
    password_hash::{
        Error, Result,
        phc::{Output, ParamsString, PasswordHash, Salt},
    },
};

/// Memory for a hash, in blocks of a kibibyte: glibc keeps no freed block of more than 32 MiB, so 33 are reserved, of which
/// only the 19 that a hash fills become memory.
fn memory(params: &Params) -> Vec<Block> {
    const RESERVED_BLOCKS: usize = 33 * 1024;
    let mut blocks = Vec::with_capacity(params.block_count().max(RESERVED_BLOCKS));
    blocks.resize(params.block_count(), Block::new());
    blocks
}

/// Argon2id with such memory; the traits are those of `Argon2` itself.
#[derive(Debug, Clone)]
pub(crate) struct ReleasedArgon2(pub(crate) Params);

impl ReleasedArgon2 {
    /// Whether a hash uses less memory or fewer passes than new ones.
    pub(crate) fn is_stronger_than(&self, hash: &PasswordHash) -> bool {
        let Self(ours) = self;
        Params::try_from(hash)
            .is_ok_and(|theirs| theirs.m_cost() < ours.m_cost() || theirs.t_cost() < ours.t_cost())
    }
}

impl PasswordHasher<PasswordHash> for ReleasedArgon2 {
    fn hash_password_with_salt(&self, password: &[u8], salt: &[u8]) -> Result<PasswordHash> {
        self.hash_password_with_params(password, salt, self.0.clone())
    }
}

impl CustomizedPasswordHasher<PasswordHash> for ReleasedArgon2 {
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
        let blocks = memory(&params);
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
        let released = ReleasedArgon2(params.clone());
        let plain = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let salt = b"sixteen letters.";
        let hash = released.hash_password_with_salt(b"Secret 1", salt).unwrap();
        assert_eq!(hash, plain.hash_password_with_salt(b"Secret 1", salt).unwrap());
        assert!(
            released.verify_password(b"Secret 1", &hash).is_ok()
                && plain.verify_password(b"Secret 1", &hash).is_ok()
        );
        assert_eq!(released.verify_password(b"secret 1", &hash), Err(Error::PasswordInvalid));
        // Stored with other costs, or another algorithm.
        for algorithm in [Algorithm::Argon2i, Algorithm::Argon2d] {
            let older = Argon2::new(algorithm, Version::V0x10, Params::new(32, 3, 1, None).unwrap());
            let hash = older.hash_password_with_salt(b"Secret 1", salt).unwrap();
            assert!(released.verify_password(b"Secret 1", &hash).is_ok(), "{hash}");
        }
    }
}
