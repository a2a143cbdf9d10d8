//! Parts of a long response; each is read while the one before it is sent.

use actix_web::rt;
use application::Error;
use futures_util::{Stream, stream};
use tokio::sync::mpsc;

/// The parts from a position on. `read` returns the part at a position and the next position;
/// `None` at the end. At most one part is read ahead, and none after the receiver is dropped. A
/// separate task reads: if the client is slow, the part waits in memory, and no database connection
/// is held.
pub(crate) fn read_ahead<T, P, F>(
    first: Option<P>,
    read: impl Fn(P) -> F + 'static,
) -> impl Stream<Item = Result<T, Error>>
where
    T: 'static,
    P: 'static,
    F: Future<Output = Result<(T, Option<P>), Error>> + 'static,
{
    let (sender, receiver) = mpsc::channel::<Result<(T, bool), Error>>(1);
    let is_expected = first.is_some();
    rt::spawn(async move {
        let mut next = first;
        while let Some(place) = next.take() {
            // Reads a part only after the one before it was received.
            let Ok(free) = sender.reserve().await else { return };
            let part = read(place).await.map(|(part, behind)| {
                next = behind;
                (part, next.is_some())
            });
            free.send(part);
        }
    });
    stream::unfold((receiver, is_expected), |(mut receiver, is_expected)| async move {
        if !is_expected {
            return None;
        }
        // A task that ended without the last part has panicked: the response is incomplete.
        let found = receiver.recv().await.unwrap_or(Err(Error::Panicked));
        // Serializing this part blocks the thread, so the reading of the next one starts before.
        tokio::task::yield_now().await;
        let is_expected = matches!(found, Ok((_, true)));
        Some((found.map(|(part, _)| part), (receiver, is_expected)))
    })
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, rc::Rc};

    use futures_util::StreamExt;

    use super::*;

    /// Parts 1, 2, 3, … up to the last, and the number of the last one whose reading started.
    fn numbers(last: u32) -> (impl Stream<Item = Result<u32, Error>>, Rc<Cell<u32>>) {
        let begun = Rc::new(Cell::new(0));
        let count = begun.clone();
        let parts = read_ahead(Some(1), move |number| {
            count.set(number);
            async move { Ok((number, (number < last).then_some(number + 1))) }
        });
        (parts, begun)
    }

    async fn until_nothing_happens() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[actix_web::test]
    async fn parts_come_in_their_order_and_one_is_read_ahead() {
        let (parts, begun) = numbers(4);
        let mut parts = Box::pin(parts);
        for number in 1..=4 {
            assert_eq!(parts.next().await.unwrap().unwrap(), number);
            until_nothing_happens().await;
            assert_eq!(begun.get(), (number + 1).min(4));
        }
        assert!(parts.next().await.is_none());
    }

    #[actix_web::test]
    async fn the_next_part_is_started_before_one_is_returned() {
        let (parts, begun) = numbers(4);
        let mut parts = Box::pin(parts);
        assert_eq!(parts.next().await.unwrap().unwrap(), 1);
        assert_eq!(begun.get(), 2);
    }

    #[actix_web::test]
    async fn nothing_is_read_after_the_stream_is_dropped() {
        let (parts, begun) = numbers(u32::MAX);
        let mut parts = Box::pin(parts);
        assert_eq!(parts.next().await.unwrap().unwrap(), 1);
        drop(parts);
        until_nothing_happens().await;
        assert_eq!((begun.get(), Rc::strong_count(&begun)), (2, 1), "the task has ended");
    }

    #[actix_web::test]
    async fn failures_and_panics_are_errors_and_not_the_end() {
        for panics in [false, true] {
            let parts = read_ahead(Some(1), move |number: u32| async move {
                assert!(number == 1 || !panics, "panics like a bug");
                if number == 1 { Ok((number, Some(2))) } else { Err(Error::NotAuthenticated) }
            });
            let parts: Vec<Result<u32, Error>> = parts.collect().await;
            assert!(matches!(parts.as_slice(), [Ok(1), Err(_)]), "{parts:?}");
        }
    }

    #[actix_web::test]
    async fn without_a_position_there_are_no_parts() {
        let parts = read_ahead(None, |number: u32| async move { Ok((number, None)) });
        assert!(parts.collect::<Vec<_>>().await.is_empty());
    }
}
