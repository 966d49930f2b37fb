//! Independent pieces of work, on all cores.
//!
//! Workers hand each result to the thread that called, which alone puts it in its place, tells how
//! far it is, and listens for the caller's wish to stop: only that thread can hear Ctrl-C. Memory
//! is the results and a few more on the way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, RecvTimeoutError};
use std::time::Duration;

use rayon::prelude::*;

use treelace_tree::error::{Error, Result};
use treelace_tree::watch::Watch;

/// How long the calling thread sleeps at most before it looks at the watch.
const LOOK: Duration = Duration::from_millis(25);

/// Results that may wait for the calling thread.
const WAITING: usize = 32;

/// What workers ask: whether the calling thread has stopped.
struct Stopped<'f>(&'f AtomicBool);

impl Watch for Stopped<'_> {
    fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

/// Calls `work` for each number below `count` on all cores, in any order, and `take` with each
/// result on this thread. The first error of either, or of the watch, ends it all. Must not be
/// called from inside a worker.
pub fn each<T: Send>(
    count: usize,
    work: impl Fn(usize, &dyn Watch) -> Result<T> + Sync,
    watch: &dyn Watch,
    mut take: impl FnMut(usize, T) -> Result<()>,
) -> Result<()> {
    let stop = AtomicBool::new(false);
    let (sender, receiver) = sync_channel::<(usize, Result<T>)>(WAITING);
    let (stop, work) = (&stop, &work);
    let mut outcome = Ok(());
    rayon::in_place_scope(|scope| {
        scope.spawn(move |_| {
            let _ = (0..count).into_par_iter().with_max_len(1).try_for_each_with(
                sender,
                |sender, number| {
                    let result = work(number, &Stopped(stop));
                    let failed = result.is_err();
                    // the receiver is gone once the caller has stopped; then there is nobody left
                    // to
                    // tell
                    if sender.send((number, result)).is_err() || failed {
                        return Err(());
                    }
                    Ok(())
                },
            );
        });
        let receiver = receiver;
        let mut step = || -> Result<bool> {
            match receiver.recv_timeout(LOOK) {
                Ok((number, result)) => take(number, result?)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
            watch.check()?;
            Ok(true)
        };
        outcome = loop {
            match step() {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        stop.store(true, Ordering::Relaxed);
        drop(receiver);
    });
    outcome
}

/// The results of `work` for each number below `count`, in order.
pub fn map<T: Send>(
    count: usize,
    work: impl Fn(usize, &dyn Watch) -> Result<T> + Sync,
    watch: &dyn Watch,
) -> Result<Vec<T>> {
    let mut out: Vec<Option<T>> = (0..count).map(|_| None).collect();
    each(count, work, watch, |number, result| {
        out[number] = Some(result);
        Ok(())
    })?;
    Ok(out.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::watch::Unwatched;

    #[test]
    fn results_come_in_order_and_errors_come_through() {
        assert_eq!(
            map(1000, |i, _| Ok(i * 2), &Unwatched).unwrap(),
            (0..1000).map(|i| i * 2).collect::<Vec<_>>()
        );
        assert_eq!(map(0, |i, _| Ok(i), &Unwatched).unwrap(), Vec::<usize>::new());
        let failing =
            |i, _: &dyn Watch| if i == 777 { Err(Error::Usage("777".into())) } else { Ok(i) };
        assert_eq!(map(1000, failing, &Unwatched), Err(Error::Usage("777".into())));
    }

    #[test]
    fn whoever_asks_to_stop_is_heard_in_the_middle_of_a_piece() {
        struct Stop;
        impl Watch for Stop {
            fn check(&self) -> Result<()> {
                Err(Error::Interrupted)
            }
        }
        let forever = |_, watch: &dyn Watch| -> Result<()> {
            loop {
                watch.check()?;
            }
        };
        assert_eq!(map(3, forever, &Stop), Err(Error::Interrupted));
    }
}
