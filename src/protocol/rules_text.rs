//! The rules of the current variant in English, German and Slovak, composed from the rule switches.

use super::command::Language;
use crate::morris::{self, Removal};
use crate::smess;
use crate::variant::Ruleset;

/// Picks a sentence by language.
const fn say(language: Language, english: &'static str, german: &'static str, slovak: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::German => german,
        Language::Slovak => slovak,
    }
}

/// The rules, one or two sentences per line.
pub fn rules_text(rules: &Ruleset, language: Language) -> String {
    let lines = match rules {
        Ruleset::Morris(rules) => morris(rules, language),
        Ruleset::Smess(rules) => smess(rules, language),
    };
    lines.join("\n")
}

fn counted(template: &str, number: impl ToString) -> String {
    template.replace("{n}", &number.to_string())
}

fn morris(rules: &morris::Rules, language: Language) -> Vec<String> {
    let say = |english, german, slovak| say(language, english, german, slovak);
    let mut lines = vec![
        counted(
            say(
                "Two players, White and Black, have {n} stones each; White begins.",
                "Zwei Spieler, Weiß und Schwarz, haben je {n} Steine; Weiß beginnt.",
                "Dvaja hráči, Biely a Čierny, majú po {n} kameňov; začína Biely.",
            ),
            rules.stones,
        ),
        say(
            "The board has 24 points on three squares joined at the middles of their sides.",
            "Das Brett hat 24 Punkte auf drei Quadraten, die in den Seitenmitten verbunden sind.",
            "Hracia plocha má 24 bodov na troch štvorcoch spojených v stredoch strán.",
        )
        .to_string(),
    ];
    let mut add = |text: &str| lines.push(text.to_string());
    if rules.diagonals {
        add(say(
            "The corners are joined too; these diagonals are lines like the others.",
            "Auch die Ecken sind verbunden; diese Diagonalen sind Linien wie die anderen.",
            "Spojené sú aj rohy; tieto uhlopriečky sú čiarami ako ostatné.",
        ));
    }
    lines.extend(moves_of_morris(rules, language));
    lines.extend(mills_of_morris(rules, language));
    lines.extend(ends_of_morris(rules, language));
    lines
}

/// How stones are placed and moved.
fn moves_of_morris(rules: &morris::Rules, language: Language) -> Vec<String> {
    let say = |english, german, slovak| say(language, english, german, slovak);
    let mut lines = Vec::new();
    let mut add = |text: &str| lines.push(text.to_string());
    add(say(
        "Placing: a player with stones in hand places one of them on a free point each turn.",
        "Setzen: Solange ein Spieler Steine in der Hand hat, setzt er je Zug einen auf einen freien Punkt.",
        "Kladenie: kým má hráč kamene v ruke, v každom ťahu položí jeden na voľný bod.",
    ));
    if rules.slides_while_placing {
        add(say(
            "Instead of placing a stone, the player may slide one on the board to a free neighbouring point.",
            "Statt zu setzen, darf er einen Stein auf einen freien Nachbarpunkt ziehen.",
            "Namiesto kladenia smie posunúť kameň na voľný susedný bod.",
        ));
    }
    add(say(
        "Moving: a player without stones in hand slides one along a line to a free neighbouring point.",
        "Ziehen: Ohne Steine in der Hand zieht man einen Stein entlang einer Linie auf einen freien Nachbarpunkt.",
        "Posúvanie: bez kameňov v ruke sa kameň posúva po čiare na voľný susedný bod.",
    ));
    add(if rules.flying {
        say(
            "Flying: a player with only three stones left may move any of them to any free point.",
            "Springen: Wer nur noch drei Steine hat, zieht mit einem davon auf einen beliebigen freien Punkt.",
            "Skákanie: hráč s poslednými tromi kameňmi smie ísť ktorýmkoľvek na hociktorý voľný bod.",
        )
    } else {
        say(
            "There is no flying: a player with three stones may still move only to neighbouring points.",
            "Springen gibt es nicht: Auch mit drei Steinen zieht man nur auf Nachbarpunkte.",
            "Skákať sa nesmie: aj s tromi kameňmi sa ťahá iba na susedné body.",
        )
    });
    lines
}

/// What a mill takes.
fn mills_of_morris(rules: &morris::Rules, language: Language) -> Vec<String> {
    let say = |english, german, slovak| say(language, english, german, slovak);
    let mut lines = Vec::new();
    let mut add = |text: &str| lines.push(text.to_string());
    add(say(
        "Mill: completing a line of three own stones removes one enemy stone from the board; completing two lines at once still removes only one.",
        "Mühle: Drei eigene Steine auf einer Linie nehmen einen gegnerischen Stein vom Brett; zwei Linien zugleich auch nur einen.",
        "Mlyn: tri vlastné kamene na čiare vezmú jeden súperov kameň; aj dve čiary naraz iba jeden.",
    ));
    add(match rules.removal {
        Removal::IfAll => say(
            "A stone in a mill is protected, unless all stones of its side are in mills: then any of them may be taken.",
            "Ein Stein in einer Mühle ist geschützt, außer wenn alle gegnerischen Steine in Mühlen stehen: dann darf jeder genommen werden.",
            "Kameň v mlyne je chránený, okrem prípadu, keď sú v mlynoch všetky súperove kamene: vtedy možno vziať hociktorý.",
        ),
        Removal::Never => say(
            "A stone in a mill is always protected; if all enemy stones are in mills, none is taken.",
            "Ein Stein in einer Mühle ist immer geschützt; stehen alle gegnerischen Steine in Mühlen, wird nichts genommen.",
            "Kameň v mlyne je vždy chránený; ak sú v mlynoch všetky súperove kamene, neberie sa nič.",
        ),
    });
    if rules.once_per_line {
        add(say(
            "A player who has formed a mill on a line cannot form another one there.",
            "Wer auf einer Linie schon eine Mühle geschlossen hat, kann dort keine weitere schließen.",
            "Kto už na čiare zavrel mlyn, nemôže tam zavrieť ďalší.",
        ));
    }
    lines
}

/// How the game ends.
fn ends_of_morris(rules: &morris::Rules, language: Language) -> Vec<String> {
    let say = |english, german, slovak| say(language, english, german, slovak);
    let mut lines = Vec::new();
    let mut add = |text: &str| lines.push(text.to_string());
    add(say(
        "A player loses with fewer than three stones on board and in hand, or with no legal move.",
        "Wer weniger als drei Steine auf dem Brett und in der Hand hat oder nicht ziehen kann, hat verloren.",
        "Hráč prehráva, ak má na ploche a v ruke menej než tri kamene, alebo ak nemôže ťahať.",
    ));
    if u32::from(rules.stones) * 2 >= 24 {
        add(say("A full board is a draw.", "Ein volles Brett ist unentschieden.", "Plná plocha znamená remízu."));
    }
    if rules.repetition_draw {
        add(say(
            "The game is a draw when a position occurs for the third time.",
            "Kommt eine Stellung zum dritten Mal vor, ist das Spiel unentschieden.",
            "Pozícia, ktorá nastane tretíkrát, znamená remízu.",
        ));
    }
    if rules.no_mill_draw > 0 {
        lines.push(counted(
            say(
                "The game is a draw after {n} plies in a row without a placement or a mill.",
                "{n} Halbzüge in Folge ohne Setzen und ohne Mühle sind unentschieden.",
                "{n} polťahov za sebou bez kladenia a bez mlyna znamená remízu.",
            ),
            rules.no_mill_draw,
        ));
    }
    lines
}

fn smess(rules: &smess::Rules, language: Language) -> Vec<String> {
    let say = |english, german, slovak| say(language, english, german, slovak);
    let mut lines: Vec<String> = [
        say(
            "Two players on 7 by 8 squares; each has a Brain, four Numskulls and seven Ninnies. White begins.",
            "Zwei Spieler auf 7 mal 8 Feldern; jeder hat ein Brain, vier Numskulls und sieben Ninnies. Weiß beginnt.",
            "Dvaja hráči na 7 krát 8 poliach; každý má jeden Brain, štyri Numskully a sedem Ninny. Začína Biely.",
        ),
        say(
            "Every square has arrows; a piece may leave a square only along one of its arrows.",
            "Jedes Feld trägt Pfeile; eine Figur verlässt ein Feld nur entlang eines Pfeils dieses Feldes.",
            "Každé pole nesie šípky; figúra opúšťa pole iba v smere niektorej jeho šípky.",
        ),
        say(
            "A Brain or a Ninny moves one square. A Numskull moves any number of squares along one arrow, but not over other pieces.",
            "Brain und Ninny ziehen ein Feld weit. Ein Numskull zieht beliebig weit entlang eines Pfeils, nicht über Figuren.",
            "Brain a Ninny idú o jedno pole. Numskull ide ľubovoľne ďaleko v smere jednej šípky, nie ponad figúry.",
        ),
        say(
            "A move onto an enemy piece captures it. Capturing is optional, moving is not.",
            "Ein Zug auf eine gegnerische Figur schlägt sie. Schlagen ist freiwillig, Ziehen ist Pflicht.",
            "Ťah na súperovu figúru ju berie. Brať sa nemusí, ťahať áno.",
        ),
        say(
            "A Ninny that reaches a start square of an enemy Numskull becomes a Numskull.",
            "Ein Ninny, das ein Startfeld eines gegnerischen Numskulls erreicht, wird zum Numskull.",
            "Ninny, ktoré dosiahne východiskové pole súperovho Numskulla, sa stáva Numskullom.",
        ),
        say(
            "The player who captures the enemy Brain wins; there is no check. A player who cannot move loses.",
            "Wer das gegnerische Brain schlägt, gewinnt; Schach gibt es nicht. Wer nicht ziehen kann, verliert.",
            "Kto vezme súperov Brain, vyhráva; šach neexistuje. Kto nemôže ťahať, prehráva.",
        ),
        say(
            "If only the two Brains are left, the game is a draw.",
            "Sind nur noch die beiden Brains übrig, ist das Spiel unentschieden.",
            "Ak ostanú iba dva Brainy, je to remíza.",
        ),
    ]
    .map(String::from)
    .into();
    if rules.repetition_draw {
        let text = say(
            "The game is a draw when a position occurs for the third time.",
            "Kommt eine Stellung zum dritten Mal vor, ist das Spiel unentschieden.",
            "Pozícia, ktorá nastane tretíkrát, znamená remízu.",
        );
        lines.push(text.to_string());
    }
    if rules.no_capture_draw > 0 {
        lines.push(counted(
            say(
                "The game is a draw after {n} plies in a row without a capture or a promotion.",
                "{n} Halbzüge in Folge ohne Schlagen und ohne Umwandlung sind unentschieden.",
                "{n} polťahov za sebou bez brania a bez premeny znamená remízu.",
            ),
            rules.no_capture_draw,
        ));
    }
    lines
}
