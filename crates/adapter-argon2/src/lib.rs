//! Hashes passwords with argon2id, off the async threads, with limited concurrency.
//!
//! Hashing only: the rules of passwords belong to the domain.

mod attempts;

use std::{sync::Arc, thread};

use argon2::{
    Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version,
    password_hash::phc::PasswordHash,
};
use async_trait::async_trait;
use ports::{AttemptPermit, HashFault, HashPriority, PasswordHasher};
use tokio::sync::{Semaphore, oneshot};

use attempts::Attempts;

/// Requests that can wait for a hash; further ones are refused and may be retried.
const MOST_WAITING: usize = 64;

/// Argon2id. Memory is bounded by the number of concurrent hashes, each of 19 MiB.
#[derive(Debug, Clone)]
pub struct Argon2Hasher {
    argon2: Argon2<'static>,
    slots: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// Slots, running and waiting, that are not reserved for staff: three quarters.
    other_slots: Arc<Semaphore>,
    other_waiting: Arc<Semaphore>,
    attempts: Attempts,
    /// A hash that no password has, for unknown users: verifying against it takes as long as against
    /// a real one.
    dummy: Arc<str>,
}

impl Argon2Hasher {
    /// OWASP's parameters: 19 MiB, 2 passes, 1 lane; `slots` concurrent hashes.
    pub fn new(slots: usize) -> Result<Self, HashFault> {
        Self::with_params(Params::new(19_456, 2, 1, None), slots)
    }

    /// Cheap parameters for tests with many sign-ins.
    pub fn cheap() -> Result<Self, HashFault> {
        Self::with_params(Params::new(64, 1, 1, None), 4)
    }

    fn with_params(params: argon2::Result<Params>, slots: usize) -> Result<Self, HashFault> {
        let params = params.map_err(broken)?;
        // No password has a hash of zeros; computing one would cost 19 MiB and time at every start.
        let costs = format!("m={},t={},p={}", params.m_cost(), params.t_cost(), params.p_cost());
        let dummy = format!("$argon2id$v=19${costs}${}${}", "A".repeat(22), "A".repeat(43));
        Ok(Self {
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
            slots: Arc::new(Semaphore::new(slots.max(1))),
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
            other_slots: Arc::new(Semaphore::new(not_reserved(slots).max(1))),
            other_waiting: Arc::new(Semaphore::new(not_reserved(MOST_WAITING))),
            attempts: Attempts::default(),
            dummy: dummy.into(),
        })
    }

    async fn off_thread<T: Send + 'static>(
        &self,
        priority: HashPriority,
        work: impl FnOnce(&Argon2<'static>) -> Result<T, HashFault> + Send + 'static,
    ) -> Result<T, HashFault> {
        let busy = |_| HashFault::Busy;
        // Non-staff requests wait for each other here, so that few of them are ahead of staff in
        // the queue for a slot.
        let reserved = match priority {
            HashPriority::Staff => None,
            HashPriority::Other => {
                let waiting = self.other_waiting.clone().try_acquire_owned().map_err(busy)?;
                let slot = self.other_slots.clone().acquire_owned().await.map_err(broken)?;
                Some((waiting, slot))
            }
        };
        let _waiting = self.waiting.clone().try_acquire_owned().map_err(busy)?;
        let slot = self.slots.clone().acquire_owned().await.map_err(broken)?;
        let argon2 = self.argon2.clone();
        let (answer, answered) = oneshot::channel();
        let hash = move || {
            let outcome = work(&argon2);
            drop((slot, reserved));
            // The caller may have been dropped.
            let _ = answer.send(outcome);
        };
        thread::Builder::new().name("password-hash".into()).spawn(hash).map_err(broken)?;
        answered.await.map_err(broken)?
    }
}

/// Three quarters.
fn not_reserved(slots: usize) -> usize {
    slots - slots.div_ceil(4)
}

/// Whether a hash costs less memory or passes than those that are made here.
fn is_stronger_than(argon2: &Argon2<'_>, hash: &PasswordHash) -> bool {
    let ours = argon2.params();
    Params::try_from(hash)
        .is_ok_and(|theirs| theirs.m_cost() < ours.m_cost() || theirs.t_cost() < ours.t_cost())
}

fn broken(error: impl std::fmt::Display) -> HashFault {
    HashFault::Broken(error.to_string())
}

#[async_trait]
impl PasswordHasher for Argon2Hasher {
    async fn hash(&self, password: &str) -> Result<String, HashFault> {
        let password = password.to_owned();
        self.off_thread(HashPriority::Staff, move |argon2| {
            argon2.hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(broken)
        })
        .await
    }

    async fn admit(&self, keys: &[String]) -> Result<AttemptPermit, HashFault> {
        Ok(Box::new(self.attempts.admit(keys).await?))
    }

    fn is_weak(&self, hash: &str) -> bool {
        PasswordHash::new(hash).is_ok_and(|parsed| is_stronger_than(&self.argon2, &parsed))
    }

    async fn verify<'a>(
        &self,
        password: &str,
        hash: Option<&'a str>,
        priority: HashPriority,
    ) -> Result<bool, HashFault> {
        let exists = hash.is_some();
        let phc = hash.unwrap_or(&self.dummy).to_owned();
        let dummy = self.dummy.clone();
        let password = password.to_owned();
        self.off_thread(priority, move |argon2| {
            let parsed = PasswordHash::new(&phc).map_err(broken)?;
            let is_right = argon2.verify_password(password.as_bytes(), &parsed).is_ok();
            if is_stronger_than(argon2, &parsed) {
                // The time for a weaker hash would reveal that the user exists.
                let dummy = PasswordHash::new(&dummy).map_err(broken)?;
                let _ = argon2.verify_password(password.as_bytes(), &dummy);
            }
            Ok(is_right && exists)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_right_password_verifies_and_nothing_else_does() {
        let hasher = Argon2Hasher::cheap().unwrap();
        let hash = hasher.hash("Contraseña 1").await.unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert_eq!(hasher.verify("Contraseña 1", Some(&hash), HashPriority::Staff).await, Ok(true));
        assert_eq!(hasher.verify("contraseña 1", Some(&hash), HashPriority::Staff).await, Ok(false));
        assert_eq!(hasher.verify("nobody's password", None, HashPriority::Staff).await, Ok(false));
        assert!(hasher.verify("x", Some("not a hash"), HashPriority::Staff).await.is_err());
    }

    #[tokio::test]
    async fn a_hash_that_costs_less_is_weak_and_verifies() {
        let (cheap, ours) = (Argon2Hasher::cheap().unwrap(), Argon2Hasher::new(1).unwrap());
        let (weak, strong) = (cheap.hash("x").await.unwrap(), ours.hash("x").await.unwrap());
        assert_eq!(
            [ours.is_weak(&weak), ours.is_weak(&strong), cheap.is_weak(&strong)],
            [true, false, false]
        );
        assert_eq!(ours.verify("x", Some(&weak), HashPriority::Staff).await, Ok(true));
        assert_eq!(ours.verify("y", Some(&weak), HashPriority::Staff).await, Ok(false));
    }

    #[tokio::test]
    async fn two_hashes_of_a_password_differ() {
        let hasher = Argon2Hasher::cheap().unwrap();
        assert_ne!(hasher.hash("same").await.unwrap(), hasher.hash("same").await.unwrap());
    }

    #[test]
    fn checking_the_password_of_an_unknown_user_costs_as_much_as_a_real_one() {
        let hasher = Argon2Hasher::cheap().unwrap();
        let (dummy, real) = (hasher.dummy.to_string(), hasher.argon2.hash_password(b"x").unwrap());
        let dummy = PasswordHash::new(&dummy).unwrap();
        assert_eq!(
            (dummy.algorithm, dummy.version, &dummy.params),
            (real.algorithm, real.version, &real.params)
        );
        let lengths = |hash: &PasswordHash| (hash.salt.unwrap().len(), hash.hash.unwrap().len());
        assert_eq!(lengths(&dummy), lengths(&real));
        let outcome = hasher.argon2.verify_password(b"x", &dummy);
        assert_eq!(outcome, Err(argon2::password_hash::Error::PasswordInvalid), "hashed, and then different");
    }

    #[tokio::test]
    async fn a_failed_hash_is_reported_and_releases_its_slot() {
        let hasher = Argon2Hasher::new(1).unwrap();
        for _ in 0..2 {
            let outcome = hasher.off_thread::<()>(HashPriority::Staff, |_| panic!("planted")).await;
            assert!(matches!(outcome, Err(HashFault::Broken(_))), "{outcome:?}");
        }
        assert_eq!(hasher.off_thread(HashPriority::Staff, |_| Ok(7)).await, Ok(7));
    }

    #[tokio::test]
    async fn real_hashes_cost_what_owasp_requires() {
        let hash = Argon2Hasher::new(1).unwrap().hash("x").await.unwrap();
        assert!(hash.contains("m=19456,t=2,p=1"), "{hash}");
    }

    #[tokio::test]
    async fn a_quarter_of_the_slots_is_reserved_for_staff() {
        assert_eq!([1, 2, 3, 4, 8, 64].map(not_reserved), [0, 1, 2, 3, 6, 48]);
        let hasher = Argon2Hasher::cheap().unwrap();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        // Non-staff requests that use all their slots: running ones do not end before they are
        // released.
        let others: Vec<_> = (0..48)
            .map(|_| {
                let (hasher, released) = (hasher.clone(), released.clone());
                tokio::spawn(async move {
                    let wait = move |_: &Argon2<'static>| {
                        let _ = released.lock().unwrap().recv();
                        Ok(())
                    };
                    hasher.off_thread(HashPriority::Other, wait).await
                })
            })
            .collect();
        while hasher.other_waiting.available_permits() > 0 || hasher.slots.available_permits() > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hasher.verify("x", None, HashPriority::Other).await, Err(HashFault::Busy));
        assert_eq!(hasher.verify("x", None, HashPriority::Staff).await, Ok(false), "staff are not blocked");
        drop(release);
        for other in others {
            assert_eq!(other.await.unwrap(), Ok(()));
        }
        assert_eq!(hasher.verify("x", None, HashPriority::Other).await, Ok(false));
    }
}
