//! The page: the files of a folder, read once. A client's path never reaches the file system.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use millbrain_files::{InFile, named, open_regular};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum bytes of all files together.
const MAX_BYTES: u64 = 128 << 20;
/// Maximum number of files.
const MAX_FILES: usize = 4_096;
/// Characters of the content hash in a file name.
const CONTENTS_MARK: usize = 8;
/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// The text shown if no page has been built.
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
    /// The folder is not a page.
    #[error("{}: no index.html, expected the folder of a built page", .0.display())]
    NoIndex(PathBuf),
}

/// A content coding of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Brotli, the smallest.
    Brotli,
    /// Gzip, supported by all clients.
    Gzip,
}

impl Coding {
    /// All codings, smallest first.
    const ALL: [Coding; 2] = [Coding::Brotli, Coding::Gzip];

    /// Returns the name in headers.
    pub const fn name(self) -> &'static str {
        match self {
            Coding::Brotli => "br",
            Coding::Gzip => "gzip",
        }
    }

    /// Returns the file extension of this coding.
    const fn extension(self) -> &'static str {
        match self {
            Coding::Brotli => ".br",
            Coding::Gzip => ".gz",
        }
    }
}

/// A file in one coding, with a tag that depends on its bytes.
pub struct Body {
    /// The bytes to send.
    pub bytes: Bytes,
    /// The tag, in quotes.
    pub tag: String,
}

impl Body {
    fn new(bytes: Vec<u8>) -> Body {
        let tag = format!("\"{}\"", digest(&bytes));
        Body { bytes: bytes.into(), tag }
    }
}

/// A file of the page.
pub struct File {
    /// The uncompressed file. Ranges exist only in this form: a client with a compressed file could not use them.
    pub plain: Body,
    /// Compressed forms, in the order of [`Coding::ALL`], as far as the build of the page has made them.
    packed: [Option<Body>; 2],
    /// Content type.
    pub content_type: &'static str,
    /// Whether the address identifies the contents, so that a changed file has another name.
    pub is_immutable: bool,
}

impl File {
    fn new(bytes: Vec<u8>, content_type: &'static str, is_immutable: bool) -> File {
        File { plain: Body::new(bytes), packed: [None, None], content_type, is_immutable }
    }

    /// Whether there are compressed forms.
    pub fn is_packed(&self) -> bool {
        self.packed.iter().any(Option::is_some)
    }

    /// Returns the smallest form that a client accepts, by its `Accept-Encoding`.
    pub fn body(&self, accepted: &str) -> (Option<Coding>, &Body) {
        let mut forms =
            Coding::ALL.into_iter().zip(&self.packed).filter_map(|(coding, body)| Some((coding, body.as_ref()?)));
        let taken = forms.find(|(coding, _)| accepts(accepted, *coding));
        taken.map_or((None, &self.plain), |(coding, body)| (Some(coding), body))
    }
}

/// Whether an `Accept-Encoding` includes a coding with a nonzero weight.
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
    // The hash itself may contain a hyphen.
    let Some(at) = stem.len().checked_sub(CONTENTS_MARK + 1) else { return false };
    let mark = stem.get(at..).and_then(|mark| mark.strip_prefix('-'));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    address.starts_with("/assets/") && mark.is_some_and(|mark| mark.chars().all(plain))
}

/// Returns the SHA-1 of bytes in hexadecimal digits: to distinguish contents, not for secrecy.
pub(super) fn digest(bytes: &[u8]) -> String {
    use sha1::Digest;
    sha1::Sha1::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns whether a client already has the contents with this tag, by its `If-None-Match`.
pub fn has_tag(asked: &HeaderMap, tag: &str) -> bool {
    let tags = asked.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
    tags.trim() == "*" || tags.split(',').any(|known| known.trim().trim_start_matches("W/") == tag)
}

/// The files of a page, by the path of their address.
pub struct Page {
    files: HashMap<String, Arc<File>>,
}

impl Page {
    /// Returns a note on how to build the page.
    pub fn note() -> Page {
        let note = File::new(NOTE.as_bytes().to_vec(), "text/plain; charset=utf-8", false);
        Page { files: HashMap::from([("/".to_string(), Arc::new(note))]) }
    }

    /// Reads a folder, skipping hidden files and links. `NAME.br` and `NAME.gz` are forms of the file `NAME`.
    ///
    /// # Errors
    /// Files that cannot be read, too many or too large ones, or a folder without `index.html`.
    pub fn read(folder: &Path) -> Result<Page, PageError> {
        let (mut found, mut files) = (HashMap::new(), HashMap::new());
        add_folder(&mut found, folder, "", 0, &mut MAX_BYTES.clone(), folder)?;
        let is_form = |name: &&String| {
            let bases = Coding::ALL.into_iter().filter_map(|coding| name.strip_suffix(coding.extension()));
            bases.into_iter().any(|base| found.contains_key(base))
        };
        let (forms, addresses): (Vec<_>, Vec<_>) = found.keys().cloned().partition(|name| is_form(&name));
        let mut forms: HashMap<_, _> = forms.into_iter().filter_map(|name| found.remove_entry(&name)).collect();
        for address in addresses {
            let Some(bytes) = found.remove(&address) else { continue };
            let form = |coding: Coding| forms.remove(&format!("{address}{}", coding.extension())).map(Body::new);
            let packed = Coding::ALL.map(form);
            let file = File::new(bytes, content_type(&address), is_named_by_contents(&address));
            let file = Arc::new(File { packed, ..file });
            if let Some(folder) = address.strip_suffix("index.html").filter(|folder| folder.ends_with('/')) {
                files.insert(folder.to_string(), Arc::clone(&file));
            }
            files.insert(address, file);
        }
        if files.contains_key("/") { Ok(Page { files }) } else { Err(PageError::NoIndex(folder.to_path_buf())) }
    }

    /// Returns the file of an address with its percent-encoding.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path).map(Arc::as_ref)
    }
}

/// Reads the files of a folder, each by the path of its address.
fn add_folder(
    found: &mut HashMap<String, Vec<u8>>,
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
            add_folder(found, &path, &address, depth + 1, room, root)?;
        } else if kind.is_file() {
            let mut bytes = Vec::new();
            let file = open_regular(&path).map_err(named(&path))?;
            file.take(*room + 1).read_to_end(&mut bytes).map_err(named(&path))?;
            *room = room.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
            if found.len() >= MAX_FILES {
                return Err(too_large());
            }
            found.insert(address, bytes);
        }
    }
    Ok(())
}

/// Returns the content type of a file by its extension.
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

    /// Each client gets the smallest form that it accepts, and each form has its own tag.
    #[test]
    fn packed_forms_lie_beside_a_file() {
        let folder = std::env::temp_dir().join(format!("millbrain-packed-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("a folder");
        for (name, text) in
            [("index.html", "plain"), ("index.html.br", "small"), ("index.html.gz", "packed"), ("a.gz", "x")]
        {
            std::fs::write(folder.join(name), text).expect("written");
        }
        let page = Page::read(&folder).expect("a page");
        std::fs::remove_dir_all(&folder).expect("removed");
        let mut names: Vec<_> = page.files.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["/", "/a.gz", "/index.html"]);
        let file = page.file("/").expect("a file");
        let chosen = |accepted: &str| file.body(accepted).0.map(Coding::name);
        assert_eq!(chosen("gzip, deflate, br, zstd"), Some("br"));
        assert_eq!(chosen("GZIP;q=0.5"), Some("gzip"));
        assert_eq!(chosen("br;q=0, gzip"), Some("gzip"));
        for accepted in ["", "identity", "brotli", "x-gzip, zstd", "br;q=0"] {
            assert_eq!(chosen(accepted), None, "{accepted}");
        }
        let forms = ["", "gzip", "br"].map(|accepted| file.body(accepted).1);
        assert_eq!(forms.map(|form| &form.bytes[..]), [&b"plain"[..], b"packed", b"small"]);
        let tags = forms.map(|form| form.tag.clone());
        assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
        assert!(tags.iter().all(|tag| tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"')), "{tags:?}");
        assert!(file.is_packed() && page.file("/a.gz").is_some_and(|file| !file.is_packed()));
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
