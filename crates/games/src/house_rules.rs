//! House rules: options that change the rules of a variant, as a list such as `Stones=10,Flying=false`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use millbrain_core::options::RuleOption;
use millbrain_core::variant::{Ruleset, Variant, rule_list};

/// The option that chooses a variant.
const VARIANT: &str = "UCI_Variant";

/// Returns whether two names are the same; case and the width of spaces do not matter.
fn is_same(a: &str, b: &str) -> bool {
    let words = |name| str::split_whitespace(name).map(str::to_ascii_lowercase);
    words(a).eq(words(b))
}

fn named(name: &str) -> Option<RuleOption> {
    RuleOption::all().into_iter().find(|option| is_same(option.name, name))
}

/// Returns whether an option of this name chooses the rules.
pub fn is_rule(option: &str) -> bool {
    is_same(option, VARIANT) || named(option).is_some()
}

/// Returns the rules of a variant, changed by a list of house rules, or `None` if these do not exist. Those of another
/// family change nothing.
pub fn rules(variant: Variant, house_rules: &str) -> Option<Ruleset> {
    let mut rules = variant.rules();
    for option in rule_list(house_rules) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        if is_same(name, VARIANT) {
            // Only the same variant again, with its own rules.
            if value.trim().parse() != Ok(variant) {
                return None;
            }
            rules = variant.rules();
        } else {
            let option = named(name)?;
            rules.assign(&option, option.choice.read(value)?);
        }
    }
    Some(rules)
}
