//! The trees of a collection that are near a query: lower bounds first, then distances that give up
//! at the bound in force.

use super::bounds::Profile;
use super::unit;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// The place of each tree at a distance of at most `most`, with the distance; in the order of the
/// collection.
pub fn within(
    query: &Shape,
    shapes: &[Shape],
    most: u32,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32)>> {
    let profile = Profile::new(query);
    let mut found = Vec::new();
    for (place, shape) in shapes.iter().enumerate() {
        watch.check()?;
        if profile.lower(&Profile::new(shape)) > most {
            continue;
        }
        if let Some((distance, _)) = unit(query, shape, Some(most), false, limits, watch)? {
            found.push((place as u32, distance));
        }
    }
    Ok(found)
}

/// The `count` nearest trees with their distances, the nearest first, earlier places before later
/// ones.
pub fn nearest(
    query: &Shape,
    shapes: &[Shape],
    count: usize,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32)>> {
    let profile = Profile::new(query);
    let mut candidates: Vec<(u32, u32)> = (0..shapes.len())
        .map(|place| (profile.lower(&Profile::new(&shapes[place])), place as u32))
        .collect();
    candidates.sort_unstable();
    // (distance, place), sorted
    let mut best: Vec<(u32, u32)> = Vec::new();
    for (lower, place) in candidates {
        watch.check()?;
        let worst = (best.len() >= count).then(|| best.last().map_or(0, |&(distance, _)| distance));
        if count == 0 || worst.is_some_and(|worst| lower > worst) {
            break;
        }
        let Some((distance, _)) =
            unit(query, &shapes[place as usize], worst, false, limits, watch)?
        else {
            continue;
        };
        let at = best.partition_point(|&entry| entry < (distance, place));
        best.insert(at, (distance, place));
        best.truncate(count);
    }
    Ok(best.into_iter().map(|(distance, place)| (place, distance)).collect())
}
