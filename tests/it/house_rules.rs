//! The house rules of game records and the options of the protocol that choose the rules.

use millbrain::games::house_rules;
use millbrain::options::Choice;
use millbrain::protocol::{Kind, OPTIONS, Opt, Settings};
use millbrain::variant::Variant;

/// Values that an option takes, and some that it does not.
fn values(option: &Opt) -> Vec<String> {
    let words = match &option.kind {
        Kind::Rule(rule) => match rule.choice {
            Choice::Switch => vec!["true".to_string(), "False".to_string()],
            Choice::Number { least, most } => [least, least + 1, most, most + 1].iter().map(u16::to_string).collect(),
            Choice::Word { words } => words.iter().map(|word| word.to_uppercase()).collect(),
        },
        Kind::Combo(words, ..) => words.iter().map(|word| word.to_uppercase()).collect(),
        _ => Vec::new(),
    };
    let padded = words.iter().map(|word| format!(" {word} "));
    padded.chain(words.iter().cloned()).chain(["", "-1", "yes", "plain diagonals"].map(String::from)).collect()
}

#[test]
fn house_rules_are_what_the_options_say() {
    for option in OPTIONS.iter() {
        assert_eq!(house_rules::is_rule(option.name), option.is_rule(), "{}", option.name);
        for variant in Variant::ALL {
            for value in values(option) {
                let mut settings = Settings::default();
                settings.set("UCI_Variant", Some(variant.name())).expect("a variant");
                let is_set = settings.set(option.name, Some(&value)).is_ok() && settings.variant == variant;
                let expected = (option.is_rule() && is_set).then_some(settings.rules);
                let name = option.name.to_uppercase().replace(' ', "  ");
                let text = format!("; {name} ={value};");
                assert_eq!(house_rules::rules(variant, &text), expected, "{variant}: {text}");
            }
        }
    }
    assert!(OPTIONS.iter().filter(|option| option.is_rule()).count() == 11 && !house_rules::is_rule("Colour"));
}
