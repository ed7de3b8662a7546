//! Texts about the games, in several languages: one file of lines `name = text` per language, with the same names in
//! each. They are the sentences of the rules, and the names of variants, options, pieces, phases, endings, marks and
//! levels. The name of a text is a group and the id of the thing, such as `ending.few-stones`.
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

    /// Fills a number into a text, which has a form for each kind of number in the language.
    pub fn counted(self, text: &str, number: u32) -> String {
        let forms: Vec<&str> = text.split('|').collect();
        forms[self.plural.form(number).min(forms.len() - 1)].replace("{n}", &number.to_string())
    }

    /// Returns the text of this name.
    pub fn text(self, name: &str) -> Option<&'static str> {
        self.texts().find(|(known, _)| *known == name).map(|(_, text)| text)
    }
}

/// A sentence of the rules: the name of a text, and the number for `{n}` in it, if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// The name of the text.
    pub name: &'static str,
    /// The number in it.
    pub number: Option<u32>,
}

impl Sentence {
    /// Returns a sentence without a number.
    pub const fn plain(name: &'static str) -> Sentence {
        Sentence { name, number: None }
    }

    /// Returns a sentence with a number.
    pub const fn counted(name: &'static str, number: u32) -> Sentence {
        Sentence { name, number: Some(number) }
    }

    /// Returns the sentence in a language.
    pub fn in_language(self, language: Language) -> String {
        let text = language.text(self.name).unwrap_or(self.name);
        self.number.map_or_else(|| text.to_string(), |number| language.counted(text, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any::AnyGame;
    use crate::game::Reason;
    use crate::morris::{self, FEW_STONES, FULL_BOARD, Removal, Removals};
    use crate::options::{Choice, RuleOption};
    use crate::smess::{self, BRAIN_CAPTURED, ONLY_BRAINS};
    use crate::variant::Variant;
    use std::collections::BTreeSet;

    /// Returns every sentence that rules can have.
    fn all_sentences() -> Vec<Sentence> {
        let mut all = smess::Rules::default().sentences();
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
    const FACTS: [&str; 9] = [
        "wins-at-once",
        "missed-take",
        "allows-take",
        "gave-up-win-in",
        "gave-up-win",
        "gave-up-draw-in",
        "gave-up-draw",
        "missed-win",
        "allows-win",
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
        let rules = [FEW_STONES, FULL_BOARD, BRAIN_CAPTURED, ONLY_BRAINS];
        let reasons = rules.into_iter().chain([Reason::NoMoves, Reason::Repetition, Reason::NoProgress]);
        all.extend(reasons.map(|reason| format!("ending.{}", reason.id())));
        all.extend(["placing", "moving", "flying", "playing"].map(|phase| format!("phase.{phase}")));
        all.extend(["?!", "?", "??"].map(|mark| format!("mark.{mark}")));
        all.extend(FACTS.map(|fact| format!("fact.{fact}")));
        all.extend([0, 3, 8, 14, 20].map(|level| format!("level.{level}")));
        all
    }

    #[test]
    fn every_language_has_all_texts_and_no_others() {
        let sentences = all_sentences();
        let things = all_things();
        let mut used: BTreeSet<&str> = sentences.iter().map(|sentence| sentence.name).collect();
        used.extend(things.iter().map(String::as_str));
        for language in Language::ALL {
            let texts: Vec<_> = language.texts().collect();
            let names: BTreeSet<&str> = texts.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.len(), texts.len(), "{}: a name stands twice", language.code());
            assert_eq!(names, used, "{}", language.code());
            let lines = language.file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert_eq!(lines.count(), texts.len(), "{}: a line is no text", language.code());
            let is_sentence = |name: &str| sentences.iter().any(|sentence| sentence.name == name);
            assert!(
                texts.iter().all(|(name, text)| text.ends_with('.') == is_sentence(name) || name.starts_with("fact.")),
                "{}",
                language.code()
            );
        }
    }

    #[test]
    fn numbers_stand_where_a_text_wants_one() {
        for language in Language::ALL {
            for sentence in all_sentences() {
                let text = language.text(sentence.name).expect("a text");
                let forms = text.split('|').filter(|form| form.matches("{n}").count() == 1).count();
                let expected = 1 + language.plural.form(u32::MAX);
                assert_eq!(forms, sentence.number.map_or(0, |_| expected), "{text}");
                assert!(!sentence.in_language(*language).contains('{'));
            }
        }
        assert_eq!(
            Sentence::counted("morris.no-mill-draw", 20).in_language(Language::default()),
            "The game is a draw after 20 plies in a row without a placement or a mill."
        );
    }

    #[test]
    fn draws_are_told_where_the_rules_have_them() {
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
