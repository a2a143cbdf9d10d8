//! At most two attempts of one account or network are checked concurrently; others wait.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use ports::HashFault;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Concurrent checks per key.
const AT_ONCE: usize = 2;
/// Checked and waiting attempts per key.
const MOST_OF_A_KEY: usize = 64;
/// Keys with attempts at the same time.
const MOST_KEYS: usize = 4_096;

/// Checked and waiting attempts by key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attempts(Arc<Mutex<HashMap<String, Queue>>>);

#[derive(Debug)]
struct Queue {
    slots: Arc<Semaphore>,
    length: usize,
}

/// An attempt of a key, released on drop.
struct Attempt {
    attempts: Attempts,
    key: String,
    slot: Option<OwnedSemaphorePermit>,
}

impl Drop for Attempt {
    fn drop(&mut self) {
        drop(self.slot.take());
        let mut queues = self.attempts.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get_mut(&self.key) {
            queue.length -= 1;
            if queue.length == 0 {
                queues.remove(&self.key);
            }
        }
    }
}

impl Attempts {
    /// Waits for a slot of every key, in their order.
    pub(crate) async fn admit(&self, keys: &[String]) -> Result<impl Send + use<>, HashFault> {
        let mut admitted = Vec::with_capacity(keys.len());
        for key in keys {
            let (mut attempt, slots) = self.join(key)?;
            attempt.slot = slots.acquire_owned().await.ok();
            admitted.push(attempt);
        }
        Ok(admitted)
    }

    fn join(&self, key: &str) -> Result<(Attempt, Arc<Semaphore>), HashFault> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !queues.contains_key(key) && queues.len() >= MOST_KEYS {
            return Err(HashFault::Busy);
        }
        let new = || Queue { slots: Arc::new(Semaphore::new(AT_ONCE)), length: 0 };
        let queue = queues.entry(key.to_owned()).or_insert_with(new);
        if queue.length >= MOST_OF_A_KEY {
            return Err(HashFault::Busy);
        }
        queue.length += 1;
        let attempt = Attempt { attempts: self.clone(), key: key.to_owned(), slot: None };
        Ok((attempt, queue.slots.clone()))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::join_all};

    use super::*;

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[tokio::test]
    async fn the_third_attempt_of_a_key_waits_and_other_keys_do_not() {
        let attempts = Attempts::default();
        let first = attempts.admit(&keys(&["network a", "name x"])).await.unwrap();
        let second = attempts.admit(&keys(&["network b", "name x"])).await.unwrap();
        let third_keys = keys(&["network c", "name x"]);
        let mut third = Box::pin(attempts.admit(&third_keys));
        assert!((&mut third).now_or_never().is_none());
        assert!(attempts.admit(&keys(&["network a", "name y"])).now_or_never().is_some());
        drop(first);
        drop(third.await.unwrap());
        drop(second);
        assert!(attempts.0.lock().unwrap().is_empty(), "ended attempts are removed");
    }

    #[tokio::test]
    async fn attempts_cancelled_while_waiting_release_their_slot() {
        let attempts = Attempts::default();
        let name = keys(&["name x"]);
        let held = [attempts.admit(&name).await.unwrap(), attempts.admit(&name).await.unwrap()];
        for _ in 0..1_000 {
            assert!(attempts.admit(&name).now_or_never().is_none());
        }
        drop(held);
        assert!(attempts.admit(&name).now_or_never().is_some());
    }

    #[tokio::test]
    async fn more_than_64_of_a_key_are_refused() {
        let attempts = Attempts::default();
        let name = keys(&["name x"]);
        let waiting: Vec<_> = (0..150).map(|_| attempts.admit(&name)).collect();
        let outcomes = join_all(waiting.into_iter().map(|one| async { one.await.map(drop) })).await;
        let refused = outcomes.iter().filter(|outcome| **outcome == Err(HashFault::Busy)).count();
        // Some finished before the last started; their number depends on the runtime.
        assert!(refused <= 86, "{refused}");
        let held: Vec<_> = (0..64).map(|_| attempts.join("name y").unwrap()).collect();
        assert!(matches!(attempts.join("name y"), Err(HashFault::Busy)));
        drop(held);
        assert!(attempts.join("name y").is_ok());
    }
}
