//! Magnitudes of the discrete Fourier transform of a series, and the distance of two.

use realfft::RealFftPlanner;

use crate::cores;
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// How series of different lengths are brought to common frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// A transform of exactly the length of the series; magnitudes are interpolated to the
    /// frequencies of both (Flesca).
    Exact,
    /// Both series padded with zeros to the power of two that holds the longer one (Buttler).
    PowerOfTwo,
}

/// The magnitudes of one half of a transform; the other half is its mirror.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Samples of the series.
    length: u64,
    /// Points of the transform: `length`, or a power of two.
    points: u64,
    /// Magnitudes at the frequencies 0, 1/points, 2/points, … up to a half; none for an empty
    /// series.
    magnitudes: Vec<f64>,
}

impl Spectrum {
    /// The spectrum of a series with its own length.
    pub fn exact(series: &[f64]) -> Spectrum {
        Spectrum::padded(series, series.len())
    }

    /// The spectrum of a series padded to this many points.
    fn padded(series: &[f64], points: usize) -> Spectrum {
        let length = series.len() as u64;
        if series.is_empty() {
            return Spectrum { length, points: points as u64, magnitudes: Vec::new() };
        }
        let plan = RealFftPlanner::<f64>::new().plan_fft_forward(points);
        let (mut input, mut output) = (plan.make_input_vec(), plan.make_output_vec());
        input[..series.len()].copy_from_slice(series);
        let done = plan.process(&mut input, &mut output);
        debug_assert!(done.is_ok(), "the vectors have the plan's lengths");
        Spectrum {
            length,
            points: points as u64,
            magnitudes: output.iter().map(|value| value.norm()).collect(),
        }
    }

    /// The spectra of a set, comparable with each other. With powers of two all are made for the
    /// longest series of the set: the transform for a smaller power is every second, fourth, …
    /// point of it.
    pub fn of_all(
        series: &[Vec<f64>],
        transform: Transform,
        limits: &Limits,
        watch: &dyn Watch,
    ) -> Result<Vec<Spectrum>> {
        let longest = series.iter().map(Vec::len).max().unwrap_or(0).next_power_of_two();
        let points = |one: &[f64]| if transform == Transform::Exact { one.len() } else { longest };
        Limits::check(
            "memory",
            limits.memory,
            series.iter().map(|one| points(one) as u64 * 4).sum(),
        )?;
        cores::map(
            series.len(),
            |at, _| Ok(Spectrum::padded(&series[at], points(&series[at]))),
            watch,
        )
    }

    /// From parts that were stored.
    pub fn from_parts(length: u64, points: u64, magnitudes: Vec<f64>) -> Result<Spectrum> {
        let wanted = if length == 0 { 0 } else { points / 2 + 1 };
        let right = points == length || points.is_power_of_two() && points >= length;
        if !right || magnitudes.len() as u64 != wanted {
            return Err(Error::Damaged("a spectrum is damaged: its lengths do not fit".into()));
        }
        Ok(Spectrum { length, points, magnitudes })
    }

    /// Length of the series, and points of the transform.
    pub fn parts(&self) -> (u64, u64) {
        (self.length, self.points)
    }

    /// Magnitudes from frequency 0 to a half.
    pub fn magnitudes(&self) -> &[f64] {
        &self.magnitudes
    }

    /// √ Σ (|H₁| − |H₂|)² over the common frequencies 1 … M/2.
    pub fn distance(&self, other: &Spectrum, transform: Transform) -> Result<f64> {
        match transform {
            Transform::Exact if self.points == self.length && other.points == other.length => {
                Ok(self.on_the_union(other).sqrt())
            }
            Transform::PowerOfTwo => self.on_a_power(other).map(f64::sqrt),
            Transform::Exact => Err(Error::Usage(
                "spectra padded to a power of two cannot be compared at exact lengths".into(),
            )),
        }
    }

    /// The sum over the union of the grids {k/N₁} and {k/N₂}, magnitudes interpolated linearly
    /// between their own points. The union is symmetric around a half, so its first M/2 points
    /// after 0 are those up to a half.
    fn on_the_union(&self, other: &Spectrum) -> f64 {
        let (left, right) = (self.points, other.points);
        if left == 0 || right == 0 {
            // an empty document has no signal: nothing at every frequency of the other
            return self.magnitudes.iter().chain(&other.magnitudes).skip(1).map(|x| x * x).sum();
        }
        let (mut i, mut j, mut sum) = (1u64, 1u64, 0.0);
        while 2 * i <= left || 2 * j <= right {
            // i / left against j / right; lengths stay far below 2³²
            let (a, b) = (i * right, j * left);
            let (x, y) = if a <= b {
                (self.at(i), other.between(i, left))
            } else {
                (self.between(j, right), other.at(j))
            };
            sum += (x - y) * (x - y);
            i += u64::from(a <= b);
            j += u64::from(b <= a);
        }
        sum
    }

    /// The magnitude at point `k`, mirrored beyond the half.
    fn at(&self, k: u64) -> f64 {
        self.magnitudes[k.min(self.points - k) as usize]
    }

    /// The magnitude at frequency `k / n`, interpolated.
    fn between(&self, k: u64, n: u64) -> f64 {
        let place = k * self.points;
        let (below, part) = (place / n, (place % n) as f64 / n as f64);
        if part == 0.0 {
            return self.at(below);
        }
        self.at(below) * (1.0 - part) + self.at(below + 1) * part
    }

    fn on_a_power(&self, other: &Spectrum) -> Result<f64> {
        let points = self.length.max(other.length).next_power_of_two();
        for one in [self, other] {
            if one.length > 0 && (!one.points.is_power_of_two() || one.points < points) {
                return Err(Error::Usage(
                    "these spectra were made for shorter documents: bring all \
                 documents together first"
                        .into(),
                ));
            }
        }
        let value = |one: &Spectrum, k: u64| {
            if one.length == 0 {
                0.0
            } else {
                one.magnitudes[(k * (one.points / points)) as usize]
            }
        };
        Ok((1..=points / 2)
            .filter(|_| self.length + other.length > 0)
            .map(|k| (value(self, k) - value(other, k)).powi(2))
            .sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::watch::Unwatched;

    const H1: [f64; 4] = [1.0, 2.0, -2.0, -1.0];
    const H2: [f64; 6] = [1.0, 2.0, -2.0, 2.0, -2.0, -1.0];

    #[test]
    fn the_worked_example() {
        let (left, right) = (Spectrum::exact(&H1), Spectrum::exact(&H2));
        for (got, wanted) in left
            .magnitudes()
            .iter()
            .zip([0.0, 4.242641, 2.0])
            .chain(right.magnitudes().iter().zip([0.0, 3.0, 5.196152, 6.0]))
        {
            assert!((got - wanted).abs() < 1e-6);
        }
        assert!((left.distance(&right, Transform::Exact).unwrap() - 4.352463).abs() < 1e-6);
        assert_eq!(
            left.distance(&right, Transform::Exact),
            right.distance(&left, Transform::Exact)
        );
        let both = Spectrum::of_all(
            &[H1.to_vec(), H2.to_vec(), vec![0.0; 40]],
            Transform::PowerOfTwo,
            &Limits::default(),
            &Unwatched,
        )
        .unwrap();
        assert!(
            (both[0].distance(&both[1], Transform::PowerOfTwo).unwrap() - 5.811592).abs() < 1e-6
        );
    }

    #[test]
    fn an_empty_document_has_no_signal() {
        let (none, some) = (Spectrum::exact(&[]), Spectrum::exact(&H1));
        assert_eq!(none.distance(&none, Transform::Exact).unwrap(), 0.0);
        assert!(
            (none.distance(&some, Transform::Exact).unwrap() - (18f64 + 4.0).sqrt()).abs() < 1e-9
        );
        let both = Spectrum::of_all(
            &[vec![], H1.to_vec()],
            Transform::PowerOfTwo,
            &Limits::default(),
            &Unwatched,
        )
        .unwrap();
        assert_eq!(
            both[0].distance(&both[1], Transform::PowerOfTwo),
            both[1].distance(&both[0], Transform::PowerOfTwo)
        );
        assert_eq!(both[0].distance(&both[0], Transform::PowerOfTwo).unwrap(), 0.0);
    }
}
