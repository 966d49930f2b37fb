//! Leave to go on: how a long loop hears of a deadline or of Ctrl-C.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Asked now and then (every few thousand steps) by every loop that can be long.
pub trait Watch: Sync {
    /// `Err` means: stop, give back what you hold, return this error.
    fn check(&self) -> Result<()>;
}

/// Never stops anything.
pub struct Unwatched;

impl Watch for Unwatched {
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// Stops at a point in time.
pub struct Deadline {
    at: Option<Instant>,
    seconds: f64,
}

impl Deadline {
    /// A deadline `seconds` from now.
    pub fn after(seconds: f64) -> Self {
        let span = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Deadline { at: Instant::now().checked_add(span), seconds }
    }
}

impl Watch for Deadline {
    fn check(&self) -> Result<()> {
        match self.at {
            Some(at) if Instant::now() >= at => Err(Error::limit("seconds", self.seconds as u64)),
            _ => Ok(()),
        }
    }
}
