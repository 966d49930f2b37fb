//! Which trees XML can express: those that read back equal from what [`super::xml`] writes.
