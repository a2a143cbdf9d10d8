//! Number and pseudorandom numbers of generated sequences, and their steps if they fail.

pub(super) const STEPS: usize = 18;
/// Sequences per database: with more, lookups among similar films become slow.
pub(super) const SEQUENCES_OF_A_DATABASE: usize = 100;

/// Pseudorandom numbers, the same in every run.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let length = u64::try_from(all.len()).unwrap();
        (length > 0).then(|| all[usize::try_from(self.below(length)).unwrap()])
    }

    /// Two of these, perhaps the same.
    pub(super) fn two_of(&mut self, all: &[&'static str]) -> (&'static str, &'static str) {
        (self.one_of(all).unwrap(), self.one_of(all).unwrap())
    }
}

/// The steps of a sequence, printed if it fails.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) of: &'static str,
    pub(super) seed: u64,
    pub(super) lines: Vec<String>,
}

impl Drop for Steps {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "sequence {} of {} failed after these steps:\n{}",
                self.seed,
                self.of,
                self.lines.join("\n")
            );
        }
    }
}

/// How many sequences there are, on a push and nightly.
pub(super) fn sequences(on_push: u64, nightly: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the number of sequences is set on the command line")]
    let said = std::env::var("CARTELERA_MACHINE_SEQUENCES").ok().and_then(|text| text.parse().ok());
    let is_nightly = std::env::var_os("CARTELERA_NIGHTLY").is_some_and(|value| value == "1");
    said.unwrap_or(if is_nightly { nightly } else { on_push })
}
