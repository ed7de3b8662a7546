//! The page: the files of a folder, read once. No path that a client sends ever reaches the file system.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use brotli::{BrotliCompress, enc::BrotliEncoderParams};
use flate2::{Compression, write::GzEncoder};
use millbrain_tablebase::files::{InFile, named, open_regular};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Most bytes of all files together.
const MAX_BYTES: u64 = 128 << 20;
/// Most files.
const MAX_FILES: usize = 4_096;
/// Smaller files are sent as they are.
const LEAST_PACKED: usize = 1_024;
/// How hard Brotli tries, up to 11, which takes three times as long.
const BROTLI_QUALITY: i32 = 10;
/// Characters of the mark that tells the contents of a file.
const CONTENTS_MARK: usize = 8;
/// Deepest folder.
const MAX_DEPTH: usize = 16;

/// What is shown where no page has been built.
const NOTE: &str = "millbrain serves no page here: none has been built.\n\n\
                    Build it with scripts/web, then start again, or name its folder with --page.\n\
                    The engine answers at /engine, the archive at /api/games, a match at /api/live.\n";

/// Why a page cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// A file or folder cannot be read.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// The folder is too large.
    #[error("{}: more than {MAX_FILES} files or {MAX_BYTES} bytes, expected the folder of a built page", .0.display())]
    TooLarge(PathBuf),
    /// The folder is no page.
    #[error("{}: no index.html, expected the folder of a built page", .0.display())]
    NoIndex(PathBuf),
}

/// A form in which a file is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Brotli, the smallest.
    Brotli,
    /// What everyone understands.
    Gzip,
}

impl Coding {
    /// From the smallest on.
    const ALL: [Coding; 2] = [Coding::Brotli, Coding::Gzip];

    /// Its name in headers.
    pub const fn name(self) -> &'static str {
        match self {
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
        }
    }

    fn pack(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Coding::Brotli => {
                let mut packed = Vec::new();
                let settings = BrotliEncoderParams { quality: BROTLI_QUALITY, lgwin: 22, ..Default::default() };
                BrotliCompress(&mut &*bytes, &mut packed, &settings).map(|_| packed)
            }
            Coding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }
}

/// A file in a form, with its tag: another one for other bytes.
pub struct Body {
    /// What is sent.
    pub bytes: Bytes,
    /// The tag, in quotes.
    pub tag: String,
}

/// A file of the page.
pub struct File {
    /// As it is. Parts are of this form alone: to those who have it packed they would be of no use.
    pub plain: Body,
    /// Its forms, by [`Coding::ALL`], once they have been made; `None` where one is not worth it.
    packed: OnceLock<[Option<Body>; 2]>,
    /// Its type.
    pub content_type: &'static str,
    /// Whether its address tells its contents: another file has another name.
    pub is_immutable: bool,
}

impl File {
    fn new(bytes: Vec<u8>, content_type: &'static str, is_immutable: bool) -> File {
        let tag = format!("\"{}\"", digest(&bytes));
        File { plain: Body { bytes: bytes.into(), tag }, packed: OnceLock::new(), content_type, is_immutable }
    }

    /// Whether it may be sent in several forms.
    pub fn is_packable(&self) -> bool {
        let texts =
            ["text/", "application/json", "application/manifest", "application/wasm", "image/svg", "application/octet"];
        self.plain.bytes.len() >= LEAST_PACKED && texts.iter().any(|kind| self.content_type.starts_with(kind))
    }

    fn pack(&self) {
        if !self.is_packable() || self.packed.get().is_some() {
            return;
        }
        let plain = &self.plain;
        let _ = self.packed.set(Coding::ALL.map(|coding| {
            let packed =
                coding.pack(&plain.bytes).inspect_err(|error| log::warn!("a file is not packed: {error}")).ok()?;
            let tag = format!("{}-{}\"", plain.tag.trim_end_matches('"'), coding.name());
            (packed.len() < plain.bytes.len() / 20 * 19).then(|| Body { bytes: packed.into(), tag })
        }));
    }

    /// The smallest form that a client takes, by its `Accept-Encoding`.
    pub fn body(&self, accepted: &str) -> (Option<Coding>, &Body) {
        let forms = Coding::ALL.into_iter().zip(self.packed.get().into_iter().flatten());
        let mut taken = forms.filter_map(|(coding, body)| Some((Some(coding), body.as_ref()?)));
        let taken = taken.find(|(coding, _)| coding.is_some_and(|coding| accepts(accepted, coding)));
        taken.unwrap_or((None, &self.plain))
    }
}

/// Whether an `Accept-Encoding` has a form, with any weight but none.
fn accepts(accepted: &str, coding: Coding) -> bool {
    accepted.split(',').any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case(coding.name()) && weight.is_ok_and(|weight| weight > 0.0)
    })
}

/// Whether a file is named after its contents, as the page's build does: `assets/index-BbTxgcm_.js`.
fn is_named_by_contents(address: &str) -> bool {
    let stem = address.rsplit_once('.').map_or("", |(stem, _)| stem);
    // The mark itself may have a hyphen.
    let Some(at) = stem.len().checked_sub(CONTENTS_MARK + 1) else { return false };
    let mark = stem.get(at..).and_then(|mark| mark.strip_prefix('-'));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    address.starts_with("/assets/") && mark.is_some_and(|mark| mark.chars().all(plain))
}

/// The SHA-1 of bytes in hexadecimal digits: to tell contents apart, not to keep anything secret.
pub(super) fn digest(bytes: &[u8]) -> String {
    use sha1::Digest;
    sha1::Sha1::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns whether a client has what has this tag already, by its `If-None-Match`.
pub fn has_tag(asked: &HeaderMap, tag: &str) -> bool {
    let tags = asked.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
    tags.trim() == "*" || tags.split(',').any(|known| known.trim().trim_start_matches("W/") == tag)
}

/// The files of a page, by the path of their address.
pub struct Page {
    files: HashMap<String, Arc<File>>,
}

impl Page {
    /// A note that says how to build the page.
    pub fn note() -> Page {
        let note = File::new(NOTE.as_bytes().to_vec(), "text/plain; charset=utf-8", false);
        Page { files: HashMap::from([("/".to_string(), Arc::new(note))]) }
    }

    /// Makes the smaller forms of all files, the smallest files first, until `is_over`. Until then they are sent as they are.
    pub fn pack(&self, is_over: impl Fn() -> bool) {
        let mut files: Vec<_> = self.files.values().collect();
        files.sort_by_key(|file| file.plain.bytes.len());
        files.into_iter().take_while(|_| !is_over()).for_each(|file| file.pack());
    }

    /// Reads a folder. Hidden files and links are left out.
    ///
    /// # Errors
    /// What cannot be read, too much of it, or a folder without `index.html`.
    pub fn read(folder: &Path) -> Result<Page, PageError> {
        let mut page = Page { files: HashMap::new() };
        let mut room = MAX_BYTES;
        page.add_folder(folder, "", 0, &mut room, folder)?;
        if page.files.contains_key("/") { Ok(page) } else { Err(PageError::NoIndex(folder.to_path_buf())) }
    }

    fn add_folder(
        &mut self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        room: &mut u64,
        root: &Path,
    ) -> Result<(), PageError> {
        let too_large = || PageError::TooLarge(root.to_path_buf());
        for entry in std::fs::read_dir(folder).map_err(named(folder))? {
            let entry = entry.map_err(named(folder))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(named(folder))?);
            let Some(name) = entry.file_name().to_str().filter(|name| !name.starts_with('.')).map(String::from) else {
                continue;
            };
            let address = format!("{prefix}/{name}");
            if kind.is_dir() {
                if depth >= MAX_DEPTH {
                    return Err(too_large());
                }
                self.add_folder(&path, &address, depth + 1, room, root)?;
            } else if kind.is_file() {
                let mut bytes = Vec::new();
                let file = open_regular(&path).map_err(named(&path))?;
                file.take(*room + 1).read_to_end(&mut bytes).map_err(named(&path))?;
                *room = room.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
                if self.files.len() >= MAX_FILES {
                    return Err(too_large());
                }
                let file = Arc::new(File::new(bytes, content_type(&name), is_named_by_contents(&address)));
                if name == "index.html" {
                    self.files.insert(format!("{prefix}/"), Arc::clone(&file));
                }
                self.files.insert(address, file);
            }
        }
        Ok(())
    }

    /// The file of an address, percent signs and all.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path).map(Arc::as_ref)
    }
}

/// The type of a file by the end of its name.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_once() {
        let folder = std::env::temp_dir().join(format!("millbrain-page-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("a/.git")).expect("a folder");
        assert!(matches!(Page::read(&folder), Err(PageError::NoIndex(_))));
        for (name, text) in [("index.html", "hello"), ("a/engine.wasm", "code"), (".secret", "x"), ("a/.git/x", "x")] {
            std::fs::write(folder.join(name), text).expect("written");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", folder.join("link")).expect("a link");
        let page = Page::read(&folder).expect("a page");
        let mut names: Vec<_> = page.files.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["/", "/a/engine.wasm", "/index.html"]);
        let file = page.file("/a/engine.wasm").expect("a file");
        assert_eq!((&file.plain.bytes[..], file.content_type), (&b"code"[..], "application/wasm"));
        assert_ne!(page.file("/").expect("a file").plain.tag, file.plain.tag);
        for path in ["/../Cargo.toml", "//etc/passwd", "/a", "/a/", "", "/a/../index.html", "/%2e%2e/x"] {
            assert!(page.file(path).is_none(), "{path}");
        }
        std::fs::remove_dir_all(&folder).expect("removed");
        assert!(Page::read(&folder).is_err_and(|error| error.to_string().contains("millbrain-page")));
        assert!(Page::note().file("/").is_some_and(|file| file.plain.bytes.starts_with(b"millbrain")));
    }

    /// Each client gets the smallest form that it takes, and each form has its own tag.
    #[test]
    fn files_are_packed_once() {
        use sha1::Digest;
        let text = "place slide mill ".repeat(500).into_bytes();
        let file = File::new(text.clone(), "text/javascript; charset=utf-8", true);
        assert!(file.is_packable() && file.body("br").0.is_none(), "nothing has been made");
        let page = Page { files: HashMap::from([("/x.js".to_string(), Arc::new(file))]) };
        page.pack(|| true);
        assert!(page.file("/x.js").is_some_and(|file| file.packed.get().is_none()), "it was over");
        page.pack(|| false);
        let file = page.file("/x.js").expect("a file");
        let chosen = |accepted: &str| file.body(accepted).0.map(Coding::name);
        assert_eq!(chosen("gzip, deflate, br, zstd"), Some("br"));
        assert_eq!(chosen("GZIP;q=0.5"), Some("gzip"));
        assert_eq!(chosen("br;q=0, gzip"), Some("gzip"));
        for accepted in ["", "identity", "brotli", "x-gzip, zstd", "br;q=0"] {
            assert_eq!(chosen(accepted), None, "{accepted}");
        }
        let forms = ["", "gzip", "br"].map(|accepted| file.body(accepted).1);
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&forms[1].bytes[..]).read_to_end(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, text);
        unpacked.clear();
        brotli::BrotliDecompress(&mut &forms[2].bytes[..], &mut unpacked).expect("brotli");
        assert_eq!(unpacked, text);
        assert!(forms[2].bytes.len() < forms[1].bytes.len() && forms[1].bytes.len() < text.len());
        let tags = forms.map(|form| form.tag.clone());
        assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
        assert!(tags.iter().all(|tag| tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"')), "{tags:?}");
        // What is packed already, or hardly shrinks, stays as it is.
        assert!(!File::new(text, "image/png", false).is_packable());
        assert!(!File::new(b"short".to_vec(), "text/plain", false).is_packable());
        let noise = (0..200_u32).flat_map(|i| sha1::Sha1::digest(i.to_be_bytes())).collect();
        let noise = File::new(noise, "application/octet-stream", false);
        noise.pack();
        assert!(noise.packed.get().is_some() && noise.body("br, gzip").0.is_none());
    }

    #[test]
    fn names_that_tell_contents() {
        for name in ["/assets/index-BbTxgcm_.js", "/assets/a-b-DCwSJG-G.woff2"] {
            assert!(is_named_by_contents(name), "{name}");
        }
        for name in [
            "/index.html",
            "/assets/index.js",
            "/assets/index-short.js",
            "/engine/index-BbTxgcm_.js",
            "/assets/",
            "/sw.js",
        ] {
            assert!(!is_named_by_contents(name), "{name}");
        }
    }
}
