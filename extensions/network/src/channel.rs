//! The number by which a message finds its queue at the other end: the hash of the queue's name
//! that the C++ library of GXF's programs computes.

const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
const SEED: u64 = 0xc70f_6907;

fn mixed(value: u64) -> u64 {
    value ^ (value >> 47)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The number of a queue with this name: Murmur's hash for 64 bits.
pub fn channel(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let whole = bytes.chunks_exact(8);
    let rest = whole.remainder();
    let mut hash = SEED ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    for chunk in whole {
        hash ^= mixed(number(chunk).wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        hash = (hash ^ number(rest)).wrapping_mul(FACTOR);
    }
    mixed(mixed(hash).wrapping_mul(FACTOR))
}

#[cfg(test)]
mod tests {
    use super::channel;

    #[test]
    fn it_is_the_hash_of_the_c_plus_plus_library() {
        // From `std::hash<std::string>` of GCC 12.
        assert_eq!(channel(""), 6_142_509_188_972_423_790);
        assert_eq!(channel("a"), 4_993_892_634_952_068_459);
        assert_eq!(channel("signal"), 15_283_615_121_063_448_299);
        assert_eq!(channel("receiver"), 11_189_324_518_528_295_572);
        assert_eq!(channel("a_longer_queue_name"), 12_762_760_023_113_888_777);
    }
}
