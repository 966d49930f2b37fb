//! How every long kernel call runs: the interpreter let go, a deadline kept, Ctrl-C heard.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use treelace_tree::watch::{Deadline, Watch};
use treelace_tree::{Error, Limits, Result};

use crate::errors;

/// How often the interpreter is asked whether Ctrl-C was pressed.
const EVERY: Duration = Duration::from_millis(50);

/// A deadline that also hears Ctrl-C. Signals are seen when the thread that asks is the main one.
struct Interruptible {
    deadline: Deadline,
    last_look: Mutex<Instant>,
    stopped: AtomicBool,
}

impl Watch for Interruptible {
    fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        self.deadline.check()?;
        let Ok(mut last) = self.last_look.try_lock() else { return Ok(()) };
        if last.elapsed() < EVERY {
            return Ok(());
        }
        *last = Instant::now();
        if Python::attach(|py| py.check_signals()).is_err() {
            self.stopped.store(true, Ordering::Relaxed);
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

/// Runs `work` without the interpreter lock, within `limits.seconds`, and maps its error.
pub fn run<T: Send>(
    py: Python<'_>,
    limits: &Limits,
    work: impl FnOnce(&dyn Watch) -> Result<T> + Send,
) -> PyResult<T> {
    let seconds = limits.seconds;
    py.detach(|| {
        let watch = Interruptible {
            deadline: Deadline::after(seconds),
            last_look: Mutex::new(Instant::now()),
            stopped: AtomicBool::new(false),
        };
        work(&watch)
    })
    .map_err(|error| errors::to_python(py, error))
}
