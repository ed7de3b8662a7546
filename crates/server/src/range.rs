//! Ranges of a file, as clients request them by `Range` (RFC 9110, section 14).

use std::ops::Range;

/// The requested part of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The whole file.
    Whole,
    /// These bytes, at least one, all within the file.
    Part(Range<usize>),
    /// Bytes outside the file.
    Nothing,
}

/// Returns the part that the headers `Range` and `If-Range` request of a file with this tag and length; missing headers
/// are empty. An invalid range, several ranges, or a range of another version request the whole file.
pub fn wanted(range: &str, if_range: &str, tag: &str, length: usize) -> Wanted {
    if !if_range.is_empty() && if_range.trim() != tag {
        return Wanted::Whole;
    }
    let Some((unit, part)) = range.split_once('=') else { return Wanted::Whole };
    let Some((begin, end)) = part.trim().split_once('-') else { return Wanted::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::Whole;
    }
    // Positions may have any number of digits; unreadably long ones count as the maximum.
    let position = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    };
    let part = match (position(begin), position(end)) {
        (Some(begin), Some(last)) if begin <= last => begin..last.saturating_add(1).min(length),
        (Some(begin), None) if end.is_empty() => begin..length,
        (None, Some(count)) if begin.is_empty() => length.saturating_sub(count)..length,
        _ => return Wanted::Whole,
    };
    if part.is_empty() { Wanted::Nothing } else { Wanted::Part(part) }
}

#[cfg(test)]
mod tests {
    use super::Wanted::{Nothing, Part, Whole};
    use super::*;

    #[test]
    fn ranges_of_ten_bytes() {
        for (range, expected) in [
            ("bytes=0-", Part(0..10)),
            ("bytes=3-", Part(3..10)),
            ("Bytes = 3-4", Part(3..5)),
            ("bytes=9-9", Part(9..10)),
            ("bytes=5-99", Part(5..10)),
            ("bytes=5-99999999999999999999999999", Part(5..10)),
            ("bytes=-3", Part(7..10)),
            ("bytes=-99", Part(0..10)),
            ("bytes=10-", Nothing),
            ("bytes=10-12", Nothing),
            ("bytes=99999999999999999999999999-", Nothing),
            ("bytes=-0", Nothing),
            ("", Whole),
            ("bytes", Whole),
            ("bytes=", Whole),
            ("bytes=-", Whole),
            ("bytes=5", Whole),
            ("bytes=5-4", Whole),
            ("bytes=+5-", Whole),
            ("bytes=5-x", Whole),
            ("bytes=--5", Whole),
            ("bytes=0-1,4-5", Whole),
            ("lines=0-1", Whole),
        ] {
            assert_eq!(wanted(range, "", "\"a\"", 10), expected, "{range}");
        }
        for range in ["bytes=0-", "bytes=-5"] {
            assert_eq!(wanted(range, "", "\"a\"", 0), Nothing, "nothing is part of an empty file");
        }
    }

    /// A range is useful only with the rest of the same bytes.
    #[test]
    fn parts_of_another_version_are_not_sent() {
        let tagged = |tag| wanted("bytes=3-", tag, "\"a\"", 10);
        assert_eq!([tagged("\"a\""), tagged(" \"a\" ")], [Part(3..10), Part(3..10)]);
        for tag in ["\"b\"", "W/\"a\"", "\"a-br\"", "a", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(tagged(tag), Whole, "{tag}");
        }
    }
}
