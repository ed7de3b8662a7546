//! Texts about the games, in several languages: one file of lines `name = text` per language, with the same names in
//! each. They are the sentences of the rules, faults, and the names of variants, options, pieces, phases, endings,
//! marks and levels. The name of a text is a group and the id of the thing, such as `ending.few-stones`.
//!
//! ```
//! use millbrain_core::any::AnyGame;
//! use millbrain_core::texts::Language;
//! use millbrain_core::variant::Variant;
//!
//! let german = Language::find("de").expect("one of the languages");
//! let rules = AnyGame::new(Variant::Mlyn.rules()).rules_text(german);
//! assert_eq!(rules[0], "Zwei Spieler, Weiß und Schwarz, haben je 9 Steine; Weiß beginnt.");
//! ```

/// A language that the games are described in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Language {
    code: &'static str,
    plural: Plural,
    file: &'static str,
}

/// The forms of a counted text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plural {
    /// `one|other`.
    OneOther,
    /// `one|few|other`, with few from 2 to 4.
    OneFewOther,
}

impl Plural {
    /// Returns the index of the form for a number.
    const fn form(self, number: u32) -> usize {
        match (self, number) {
            (_, 1) => 0,
            (Plural::OneOther, _) | (Plural::OneFewOther, 2..=4) => 1,
            (Plural::OneFewOther, _) => 2,
        }
    }
}

/// Lists the languages: another one needs a file, and its code and plural forms here.
macro_rules! languages {
    ($first:literal $plural:ident $(, $code:literal $plurals:ident)*) => {
        impl Language {
            /// All languages, English first.
            pub const ALL: &[Language] = &[
                Language { code: $first, plural: Plural::$plural, file: include_str!(concat!("texts/", $first, ".txt")) },
                $(Language { code: $code, plural: Plural::$plurals, file: include_str!(concat!("texts/", $code, ".txt")) },)*
            ];
            /// Their codes, for a message.
            pub const CODES: &str = concat!("one of ", $first $(, ", ", $code)*);
        }
    };
}

languages!("en" OneOther, "de" OneOther, "sk" OneFewOther);

impl Default for Language {
    fn default() -> Language {
        Language::ALL[0]
    }
}

impl Language {
    /// Returns the language with this code of ISO 639-1, such as `en`.
    pub fn find(code: &str) -> Option<Language> {
        Language::ALL.iter().find(|language| language.code == code).copied()
    }

    /// Returns its code of ISO 639-1.
    pub const fn code(self) -> &'static str {
        self.code
    }

    /// Returns all names and texts, in the order of the file.
    pub fn texts(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = self.file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.filter_map(|line| line.split_once(" = "))
    }

    /// Returns the text of a thing with an id, such as `few-stones` of the group `ending`, or its id if there is none.
    pub fn named(self, group: &str, id: &'static str) -> &'static str {
        self.text(&format!("{group}.{id}")).unwrap_or(id)
    }

    /// Returns the form of a text for a number: a text has one form, or one for each kind of number in the language.
    pub fn form(self, text: &'static str, number: i64) -> &'static str {
        let place = self.plural.form(u32::try_from(number).unwrap_or(u32::MAX));
        let mut forms = text.split('|');
        let last = forms.clone().next_back();
        forms.nth(place).or(last).unwrap_or(text)
    }

    /// Returns the entry of this name: the name and its text.
    pub fn entry(self, name: &str) -> Option<(&'static str, &'static str)> {
        self.texts().find(|(known, _)| *known == name)
    }

    /// Returns the text of this name.
    pub fn text(self, name: &str) -> Option<&'static str> {
        self.entry(name).map(|(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any::AnyGame;
    use crate::game::{LENGTH, RESIGNED, Reason, SCORES, Side, fen};
    use crate::merels;
    use crate::message::Message;
    use crate::mills::{self, MILL};
    use crate::morris::{self, FEW_STONES, FULL_BOARD, Removal, Removals};
    use crate::options::{self, Choice, OptionFault, RuleOption};
    use crate::play::{MoveFault, PlayError};
    use crate::smess::{self, BRAIN_CAPTURED, ONLY_BRAINS};
    use crate::variant::Variant;
    use std::collections::BTreeSet;

    /// Returns every sentence that rules can have.
    fn all_sentences() -> Vec<Message> {
        let mut all = smess::Rules::default().sentences();
        for points in merels::Points::ALL {
            all.extend(merels::Rules { points, first_mill_wins: true, ..merels::rules::SIX }.sentences());
        }
        for switches in 0..1 << 7 {
            let has = |bit: u32| switches >> bit & 1 == 1;
            let rules = morris::Rules {
                stones: 12,
                flying: has(0),
                removal: if has(1) { Removal::IfAll } else { Removal::Never },
                removals: if has(6) { Removals::One } else { Removals::EachMill },
                diagonals: has(2),
                slides_while_placing: has(3),
                no_mill_draw: 50,
                repetition_draw: has(4),
                once_per_line: has(5),
            };
            all.extend(rules.sentences());
        }
        all
    }

    /// The facts that annotations state about a move.
    const FACTS: [&str; 36] = [
        "wins-at-once",
        "allows-win-at-once",
        "allows-lock",
        "allows-brain",
        "gave-up-win-in",
        "gave-up-win",
        "gave-up-draw-in",
        "gave-up-draw",
        "missed-win",
        "allows-win",
        "hastens-loss",
        "missed-mill",
        "missed-take",
        "missed-promotion",
        "allows-mill",
        "allows-take",
        "allows-promotion",
        "missed-double-mill",
        "allows-double-mill",
        "missed-fork",
        "allows-fork",
        "missed-stone",
        "allows-stone",
        "missed-two-stones",
        "allows-two-stones",
        "missed-material",
        "allows-material",
        "opens-mill",
        "leaves-mill",
        "missed-threat",
        "brain-squares",
        "free-points",
        "free-points-of-opponent",
        "neighbours",
        "moves",
        "moves-of-opponent",
    ];

    /// Returns the names of all things in the games.
    fn all_things() -> Vec<String> {
        let mut all = Vec::new();
        for variant in Variant::ALL {
            all.extend([format!("variant.{variant}"), format!("about.{variant}")]);
            all.extend(variant.aliases().iter().map(|alias| format!("variant.{alias}")));
            let kinds = AnyGame::new(variant.rules()).layout().kinds;
            all.extend(kinds.iter().map(|kind| format!("piece.{}", kind.id)));
        }
        for option in RuleOption::all() {
            all.push(format!("option.{}", option.name));
            if let Choice::Word { words } = option.choice {
                all.extend(words.iter().map(|word| format!("value.{word}")));
            }
        }
        let rules = [FEW_STONES, FULL_BOARD, MILL, BRAIN_CAPTURED, ONLY_BRAINS];
        let reasons = rules.into_iter().chain([Reason::NoMoves, Reason::Repetition, Reason::NoProgress]);
        let ids = reasons.map(Reason::id).chain([RESIGNED, SCORES, LENGTH]);
        all.extend(ids.map(|id| format!("ending.{id}")));
        all.extend(["placing", "moving", "flying", "playing"].map(|phase| format!("phase.{phase}")));
        all.extend(["?!", "?", "??"].map(|mark| format!("mark.{mark}")));
        all.extend(FACTS.map(|fact| format!("fact.{fact}")));
        all.extend([0, 3, 8, 14, 20].map(|level| format!("level.{level}")));
        all
    }

    /// The messages that faults and sentences are made of: their names, with those of their values.
    fn all_messages() -> Vec<(&'static str, BTreeSet<&'static str>)> {
        let faults = [
            fen::Fault::TEXTS,
            fen::Field::TEXTS,
            fen::Expected::TEXTS,
            PlayError::TEXTS,
            MoveFault::TEXTS,
            OptionFault::TEXTS,
            options::Expected::TEXTS,
        ];
        let faults = faults
            .into_iter()
            .chain(mills::TEXTS)
            .chain(smess::TEXTS)
            .flatten()
            .flatten()
            .map(|(name, values)| (*name, values.iter().copied().collect()));
        let sentences = all_sentences();
        let sentences = sentences.iter().map(|each| (each.id, each.values.iter().map(|(name, _)| *name).collect()));
        let sides = [Side::White, Side::Black].map(|side| (Message::from(side).id, BTreeSet::new()));
        let variant = ("fault.unknown-variant", BTreeSet::from(["text", "expected"]));
        faults.chain(sentences).chain(sides).chain([variant]).collect()
    }

    #[test]
    fn every_language_has_all_texts_and_no_others() {
        let (sentences, messages, things) = (all_sentences(), all_messages(), all_things());
        let mut used: BTreeSet<&str> = messages.iter().map(|(name, _)| *name).collect();
        used.extend(things.iter().map(String::as_str));
        for language in Language::ALL {
            let texts: Vec<_> = language.texts().collect();
            let names: BTreeSet<&str> = texts.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.len(), texts.len(), "{}: a name stands twice", language.code());
            assert_eq!(names, used, "{}", language.code());
            let lines = language.file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert_eq!(lines.count(), texts.len(), "{}: a line is no text", language.code());
            let is_sentence =
                |name: &str| name.starts_with("fact.") || sentences.iter().any(|sentence| sentence.id == name);
            for (name, text) in texts {
                assert_eq!(text.ends_with('.'), is_sentence(name), "{}: {name}", language.code());
            }
        }
    }

    #[test]
    fn a_text_has_all_values_of_its_message_and_a_form_for_each_kind_of_number() {
        for language in Language::ALL {
            for (name, values) in all_messages() {
                let text = language.text(name).expect("a text");
                let forms: Vec<&str> = text.split('|').collect();
                let expected = if values.contains("n") { 1 + language.plural.form(u32::MAX) } else { 1 };
                assert_eq!(forms.len(), expected, "{}: {name} = {text}", language.code());
                for form in forms {
                    let shown = form.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
                    assert_eq!(shown.collect::<BTreeSet<_>>(), values, "{}: {name} = {form}", language.code());
                }
            }
        }
        assert_eq!(
            Message::counted("morris.no-mill-draw", 20).in_language(Language::default()),
            "The game is a draw after 20 plies in a row without a placement or a mill."
        );
    }

    #[test]
    fn draws_are_reported_where_the_rules_have_them() {
        for (repetition_draw, counter) in [(true, 0), (false, 40), (true, 40), (false, 0)] {
            let smess = smess::Rules { repetition_draw, no_capture_draw: counter };
            let morris = morris::Rules { repetition_draw, no_mill_draw: counter, ..morris::rules::MORRIS };
            for sentences in [smess.sentences(), morris.sentences()] {
                let text: String = sentences.into_iter().map(|each| each.in_language(Language::default())).collect();
                assert_eq!(text.contains("occurs for the third time"), repetition_draw, "{text}");
                assert_eq!(text.contains("a draw after 40 plies in a row"), counter == 40, "{text}");
                assert_eq!(text.contains("plies"), counter > 0, "{text}");
            }
        }
    }
}
