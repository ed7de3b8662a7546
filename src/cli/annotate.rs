//! `millbrain annotate`.

use super::games::Source;
use super::limits::{SearchLimits, threads};
use super::styled;
use crate::analysis::annotate::{Adviser, Advisers, Annotate, Annotation, Batch, Form, Means, annotate_all, page};
use crate::analysis::marks::Evaluation;
use crate::any::AnyGame;
use crate::files::named;
use crate::games::forms;
use crate::games::game::{Game, NotationError};
use crate::games::score::Score;
use crate::streams::stdout;
use crate::tablebase::Sources;
use crate::texts::Language;
use crate::tournament::analyst::{Analyst, Judgement};
use crate::tournament::config::{EngineConfig, Thinking, analyst};
use crate::variant::NamedRules;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use indicatif::ProgressBar;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Format {
    /// One line per move, then a summary.
    #[default]
    Text,
    /// One JSON object per game.
    Json,
    /// One web page with board and graph.
    Html,
    /// Smart Game Format, with marks, comments and better lines as variations.
    Sgf,
    /// Portable Game Notation, with the same content.
    Pgn,
}

/// Explain games.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    limits: SearchLimits,
    /// Folder made by 'tablebase build', compact file, pack, or address of a compact file or a server; repeatable
    #[arg(long, value_name = "PATH|URL")]
    tables: Vec<PathBuf>,
    /// Another engine that judges, instead of this one and the tables: name= cmd= args= dir= dialect=millbrain|sanmill
    /// option.NAME=, as for 'match'
    #[arg(
        long,
        value_name = "KEY=VALUE",
        num_args = 1..,
        action = ArgAction::Set,
        conflicts_with_all = ["tables", "hash"]
    )]
    engine: Option<Vec<String>>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Explain each bad move in one sentence where a plain fact explains it
    #[arg(long, value_name = "LANGUAGE", value_parser = languages())]
    explain: Option<Language>,
    /// Games to annotate in parallel; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Transposition table of each search in MiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// New file to write; standard output if omitted
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Resume an --out file of --format json: keep its games and annotate the rest
    #[arg(long, requires = "out")]
    resume: bool,
}

fn languages() -> impl TypedValueParser<Value = Language> {
    let codes = PossibleValuesParser::new(Language::ALL.iter().map(|language| language.code()));
    codes.try_map(|code| Language::find(&code).ok_or(Language::CODES))
}

impl Arguments {
    /// Whether the games come from standard input.
    pub fn reads_input(&self) -> bool {
        self.source.reads_input()
    }
}

/// Another engine that judges positions; it is started by the first rules and again for others.
struct Other {
    config: EngineConfig,
    running: Option<(NamedRules, Analyst)>,
}

impl Adviser for Other {
    fn begin(&mut self, rules: NamedRules) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.running.as_ref().is_none_or(|(running, _)| *running != rules) {
            self.running = None;
            self.running = Some((rules, Analyst::start(&self.config, rules)?));
        }
        self.running.as_ref().map_or(Ok(()), |(_, analyst)| Ok(analyst.new_game()?))
    }

    fn judge(
        &mut self,
        fen: &str,
        moves: &[String],
        game: &AnyGame,
    ) -> Result<(Evaluation, i32), Box<dyn Error + Send + Sync>> {
        let (_, analyst) = self.running.as_ref().ok_or("the engine is not running")?;
        let Judgement { score, depth, pv } = analyst.judge(fen, moves.iter().map(String::as_str).collect(), game)?;
        let wdl = match score {
            Score::Cp(score) => game.wdl_model().wdl(score),
            Score::Mate(moves) if moves > 0 => [1000, 0, 0],
            Score::Mate(_) => [0, 0, 1000],
        };
        Ok((Evaluation { best: pv.first().cloned(), score, wdl, pv }, i32::try_from(depth).unwrap_or(i32::MAX)))
    }
}

/// Evaluates every move of the games and writes the results.
///
/// # Errors
/// No limit, games that cannot be read, tables that cannot be used, or an output that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let &Arguments { hash, format, explain, .. } = arguments;
    if arguments.resume && format != Format::Json {
        return Err("--resume unusable with this --format, expected json: a line there has a game".into());
    }
    let limits = arguments.limits.read()?;
    let sources = Sources::at(arguments.tables.iter().cloned());
    sources.check()?;
    let games = arguments.source.read()?;
    let means = Means { threads: threads(arguments.threads), hash_mib: hash as usize, sources };
    let thinking = Thinking { clock: None, move_time: limits.movetime, nodes: limits.nodes, depth: limits.depth };
    let engine = arguments.engine.as_ref().map(|words| analyst(words, thinking)).transpose()?;
    let adviser =
        engine.map(|config| move || Box::new(Other { config: config.clone(), running: None }) as Box<dyn Adviser>);
    let advisers = adviser.as_ref().map(|adviser| adviser as &Advisers);
    let settings = Annotate { limits, explain };
    let batch = Batch { games: &games, settings: &settings, means: &means, advisers, form: form(format) };
    let (mut out, done): (Box<dyn Write>, usize) = match &arguments.out {
        Some(path) if arguments.resume => {
            let (file, done) = batch.go_on(path)?;
            (Box::new(file), done)
        }
        Some(path) => (Box::new(File::create_new(path).map_err(named(path))?), 0),
        None => (Box::new(stdout()), 0),
    };
    if format == Format::Html {
        out.write_all(page::PAGE.as_bytes())?;
    }
    let bar = ProgressBar::new(games.len() as u64).with_position(done as u64);
    let bar = styled(bar, "{bar:30} {pos}/{len} games, {eta} left");
    annotate_all(&batch, done, out, &mut |written| bar.inc(written))?;
    bar.finish_and_clear();
    Ok(())
}

/// Writes an annotated game in a form of games.
fn written(reported: &Annotation, game: &Game, form: forms::Format) -> Result<String, NotationError> {
    let written = forms::write(&reported.game(game), form)?;
    written.remarks(form).iter().for_each(|remark| log::warn!("game {}: {remark}", reported.game));
    Ok(written.text)
}

/// Returns the function that writes games in a format.
fn form(format: Format) -> &'static Form {
    match format {
        Format::Text => &|reported: &Annotation, _: &Game| Ok(reported.to_string()),
        // Plain data with string keys always has a JSON form.
        Format::Json => &|reported: &Annotation, _: &Game| Ok(serde_json::to_string(reported).unwrap_or_default()),
        Format::Html => &page::game,
        Format::Sgf => &|reported: &Annotation, game: &Game| written(reported, game, forms::Format::Sgf),
        Format::Pgn => &|reported: &Annotation, game: &Game| written(reported, game, forms::Format::Pgn),
    }
}
