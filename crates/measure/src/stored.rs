//! Features as bytes: a pickle, a row of a store, an entry of an index.
//!
//! The form: `TLF`, the version of this form, the version of the hashes ([`hash::VERSION`]), the
//! kind, then the columns, each with its length in front, all little-endian. A reader refuses what
//! it does not know, by name.

use super::bag::Bag;
use super::fourier::{Collection, Skeleton, Spectrum};
use super::sketch::{Minima, Sample};
use super::structure::{Families, Sketch};
use super::Features;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;

const MAGIC: &[u8; 3] = b"TLF";
const COLLECTION: u8 = 255;
const FORM: u8 = 1;

/// Writes columns.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn column<const N: usize>(
        &mut self,
        values: impl ExactSizeIterator<Item = [u8; N]>,
    ) {
        self.number(values.len() as u64);
        values.for_each(|value| self.0.extend(value));
    }
}

/// Reads what [`Writer`] wrote; anything that does not fit is damage.
pub(crate) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, n: usize) -> Result<&'b [u8]> {
        if n > self.0.len() {
            return Err(damaged("ends too early"));
        }
        let (head, tail) = self.0.split_at(n);
        self.0 = tail;
        Ok(head)
    }

    fn end(&self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(damaged("goes on after its end"))
    }

    pub(crate) fn number(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    /// How many columns follow: no more than there can be in what is left.
    fn count(&mut self) -> Result<u64> {
        let count = self.number()?;
        if count > self.0.len() as u64 / 8 {
            return Err(damaged("ends too early"));
        }
        Ok(count)
    }

    pub(crate) fn column<const N: usize, T>(
        &mut self,
        read: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>> {
        let bytes = usize::try_from(self.number()?)
            .ok()
            .and_then(|n| n.checked_mul(N))
            .ok_or_else(|| damaged("has an impossible length"))?;
        Ok(self
            .take(bytes)?
            .chunks_exact(N)
            .map(|chunk| read(chunk.try_into().expect("N bytes")))
            .collect())
    }
}

fn damaged(how: &str) -> Error {
    Error::Damaged(format!("the stored features of a page are damaged: the data {how}"))
}

/// The bytes of these features.
pub fn write(features: &Features) -> Vec<u8> {
    let mut out = begun(match features {
        Features::Bag(_) => 0,
        Features::Sample(_) => 1,
        Features::Skeleton(_) => 2,
        Features::Series(_) => 3,
        Features::Spectrum(_) => 4,
        Features::Families(_) => 5,
        Features::FamilySketch(_) => 6,
    });
    match features {
        Features::Bag(bag) => write_bag(&mut out, bag),
        Features::Sample(sample) => {
            let (seed, made_by, k, size) = sample.parts();
            [seed, made_by, u64::from(k), size].into_iter().for_each(|number| out.number(number));
            out.column(sample.values().iter().map(|value| value.to_le_bytes()));
        }
        Features::Skeleton(skeleton) => {
            out.number(skeleton.tag_code as u64);
            out.column(skeleton.keys.iter().map(|key| key.to_le_bytes()));
            out.column(skeleton.codes.iter().map(|code| code.to_le_bytes()));
            out.column(skeleton.levels.iter().map(|level| level.to_le_bytes()));
            out.column(skeleton.is_end.iter().map(|&is_end| [u8::from(is_end)]));
        }
        Features::Series(series) => out.column(series.iter().map(|value| value.to_le_bytes())),
        Features::Spectrum(spectrum) => {
            let (length, points) = spectrum.parts();
            out.number(length);
            out.number(points);
            out.column(spectrum.magnitudes().iter().map(|value| value.to_le_bytes()));
        }
        Features::Families(families) => {
            out.number(families.0.len() as u64);
            families
                .0
                .iter()
                .for_each(|family| out.column(family.iter().map(|token| token.to_le_bytes())));
        }
        Features::FamilySketch(sketch) => {
            out.number(sketch.seed);
            out.number(sketch.minima.len() as u64);
            sketch.minima.iter().for_each(|minima| {
                out.column(minima.values().iter().map(|value| value.to_le_bytes()))
            });
        }
    }
    out.0
}

/// The features in these bytes.
pub fn read(bytes: &[u8]) -> Result<Features> {
    let (kind, mut reader) = opened(bytes)?;
    let features = match kind {
        0 => Features::Bag(read_bag(&mut reader)?),
        1 => {
            let (seed, made_by, k, size) =
                (reader.number()?, reader.number()?, reader.number()?, reader.number()?);
            let k = u32::try_from(k).map_err(|_| damaged("has an impossible k"))?;
            Features::Sample(Sample::from_parts(
                seed,
                made_by,
                k,
                size,
                reader.column(u64::from_le_bytes)?,
            )?)
        }
        2 => {
            let tag_code =
                u8::try_from(reader.number()?).map_err(|_| damaged("has an impossible code"))?;
            let (keys, codes) =
                (reader.column(u64::from_le_bytes)?, reader.column(i32::from_le_bytes)?);
            let (levels, is_end) =
                (reader.column(u32::from_le_bytes)?, reader.column(|[byte]: [u8; 1]| byte != 0)?);
            Features::Skeleton(Skeleton::from_columns(tag_code, keys, codes, levels, is_end)?)
        }
        3 => Features::Series(reader.column(f64::from_le_bytes)?),
        4 => Features::Spectrum(Spectrum::from_parts(
            reader.number()?,
            reader.number()?,
            reader.column(f64::from_le_bytes)?,
        )?),
        5 => {
            let families = reader.count()?;
            Features::Families(Families::from_columns(
                (0..families).map(|_| reader.column(u64::from_le_bytes)).collect::<Result<_>>()?,
            )?)
        }
        6 => {
            let (seed, families) = (reader.number()?, reader.count()?);
            let minima = (0..families)
                .map(|_| reader.column(u32::from_le_bytes).map(Minima::from_values))
                .collect::<Result<_>>()?;
            Features::FamilySketch(Sketch::from_parts(seed, minima)?)
        }
        _ => return Err(damaged("is of a kind that is not known")),
    };
    reader.end()?;
    Ok(features)
}

/// The bytes of a collection.
pub fn write_collection(collection: &Collection) -> Vec<u8> {
    let mut out = begun(COLLECTION);
    out.number(u64::from(collection.max_level()));
    out.column(collection.numbers().iter().map(|(key, _)| key.to_le_bytes()));
    out.column(collection.numbers().iter().map(|(_, number)| number.to_le_bytes()));
    out.0
}

/// The collection in these bytes.
pub fn read_collection(bytes: &[u8]) -> Result<Collection> {
    let (kind, mut reader) = opened(bytes)?;
    if kind != COLLECTION {
        return Err(damaged("is no collection"));
    }
    let max_level =
        u32::try_from(reader.number()?).map_err(|_| damaged("has an impossible depth"))?;
    let (keys, numbers) = (reader.column(u64::from_le_bytes)?, reader.column(u32::from_le_bytes)?);
    reader.end()?;
    Collection::from_parts(keys.into_iter().zip(numbers).collect(), max_level)
}

fn begun(kind: u8) -> Writer {
    let mut out = Writer::default();
    out.0.extend(MAGIC);
    out.0.extend([FORM, hash::VERSION, kind]);
    out
}

fn opened(bytes: &[u8]) -> Result<(u8, Reader<'_>)> {
    let mut reader = Reader(bytes);
    if reader.take(3)? != MAGIC {
        return Err(damaged("does not begin with TLF"));
    }
    let versions = reader.take(2)?;
    if versions != [FORM, hash::VERSION] {
        return Err(Error::Damaged(format!(
            "the stored features of a page have version {}.{}; this treelace reads {FORM}.{}. \
             Compute them again from the page",
            versions[0],
            versions[1],
            hash::VERSION
        )));
    }
    Ok((reader.take(1)?[0], reader))
}

fn write_bag(out: &mut Writer, bag: &Bag) {
    out.column(bag.keys().iter().map(|key| key.to_le_bytes()));
    out.column(bag.counts().iter().map(|count| count.to_le_bytes()));
    out.column(bag.weights().iter().map(|weight| weight.to_le_bytes()));
}

fn read_bag(reader: &mut Reader<'_>) -> Result<Bag> {
    Bag::from_columns(
        reader.column(u64::from_le_bytes)?,
        reader.column(u32::from_le_bytes)?,
        reader.column(f64::from_le_bytes)?,
    )
}

#[cfg(test)]
mod tests {
    use super::super::fourier::{Encoding, Ends, Scaling, Signal, TagCode};
    use super::*;
    use treelace_tree::watch::Unwatched;

    fn examples() -> Vec<Features> {
        let tree =
            treelace_tree::brackets::parse("{a{b}{c{b}}{b}}", treelace_tree::Limits::default())
                .unwrap();
        let skeleton = |code| Skeleton::of(&tree, code, true, &Unwatched).unwrap();
        vec![
            Features::Bag(Bag::default()),
            Features::Bag(Bag::of(vec![5, 5, 1])),
            Features::Bag(Bag::weighted(vec![(9, 2, 0.5), (3, 1, 1.0)])),
            Features::Sample(Sample::of(vec![4, 9, 1], 2, 7, 8)),
            Features::Skeleton(skeleton(TagCode::Direct)),
            Features::Skeleton(skeleton(TagCode::Pairwise)),
            Features::Skeleton(skeleton(TagCode::Nested)),
            Features::Series(vec![1.5, -2.0]),
            Features::Spectrum(Spectrum::exact(&[1.0, 2.0, -3.0])),
            Features::Spectrum(Spectrum::exact(&[])),
            Features::Families(Families::of(&tree, &Unwatched).unwrap()),
            Features::FamilySketch(Families::of(&tree, &Unwatched).unwrap().sketch(21, 5)),
        ]
    }

    #[test]
    fn what_is_written_is_read() {
        for features in examples() {
            assert_eq!(read(&write(&features)).unwrap(), features);
            if let Features::Skeleton(skeleton) = features {
                let collection = Collection::of(&[&skeleton]).unwrap();
                assert_eq!(read_collection(&write_collection(&collection)).unwrap(), collection);
            }
        }
    }

    #[test]
    fn damage_is_named() {
        for features in examples() {
            let whole = write(&features);
            for cut in 0..whole.len() {
                assert!(matches!(read(&whole[..cut]), Err(Error::Damaged(_))), "{cut}");
            }
            // any byte may be wrong: an error or other features, never a panic later
            for at in 0..whole.len() {
                let mut wrong = whole.clone();
                wrong[at] ^= 0x55;
                if let Ok(Features::Skeleton(skeleton)) = read(&wrong) {
                    let signal = Signal {
                        encoding: Encoding::Multilevel,
                        ends: Ends::Null,
                        scaling: Scaling::ZScore,
                    };
                    Collection::of(&[&skeleton]).unwrap().series(&skeleton, signal).unwrap();
                }
            }
            let mut newer = whole.clone();
            newer[3] = 9;
            assert!(read(&newer).unwrap_err().to_string().contains("version 9.1"));
            let mut longer = whole;
            longer.push(0);
            assert!(read(&longer).is_err());
        }
    }
}
