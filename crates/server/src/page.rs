//! The page: the files of a folder, read once. No path that a client sends ever reaches the file system.

use axum::body::Bytes;
use millbrain_tablebase::files::{InFile, named, open_regular};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes of all files together.
const MAX_BYTES: u64 = 128 << 20;
/// Most files.
const MAX_FILES: usize = 4_096;
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

/// A file of the page.
#[derive(Clone)]
pub struct File {
    /// What it holds.
    pub bytes: Bytes,
    /// Its type.
    pub content_type: &'static str,
    /// Its tag: another one for other bytes.
    pub tag: String,
}

impl File {
    fn new(bytes: Vec<u8>, content_type: &'static str) -> File {
        let tag = format!("\"{}\"", digest(&bytes));
        File { bytes: bytes.into(), content_type, tag }
    }
}

/// The SHA-1 of bytes in hexadecimal digits: to tell contents apart, not to keep anything secret.
pub(super) fn digest(bytes: &[u8]) -> String {
    use sha1::Digest;
    sha1::Sha1::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The files of a page, by the path of their address.
#[derive(Clone)]
pub struct Page {
    files: HashMap<String, File>,
}

impl Page {
    /// A note that says how to build the page.
    pub fn note() -> Page {
        let note = File::new(NOTE.as_bytes().to_vec(), "text/plain; charset=utf-8");
        Page { files: HashMap::from([("/".to_string(), note)]) }
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
                let file = File::new(bytes, content_type(&name));
                if name == "index.html" {
                    self.files.insert(format!("{prefix}/"), file.clone());
                }
                self.files.insert(address, file);
            }
        }
        Ok(())
    }

    /// The file of an address, percent signs and all.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
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
        assert_eq!((&file.bytes[..], file.content_type), (&b"code"[..], "application/wasm"));
        assert_ne!(page.file("/").expect("a file").tag, file.tag);
        for path in ["/../Cargo.toml", "//etc/passwd", "/a", "/a/", "", "/a/../index.html", "/%2e%2e/x"] {
            assert!(page.file(path).is_none(), "{path}");
        }
        std::fs::remove_dir_all(&folder).expect("removed");
        assert!(Page::read(&folder).is_err_and(|error| error.to_string().contains("millbrain-page")));
        assert!(Page::note().file("/").is_some_and(|file| file.bytes.starts_with(b"millbrain")));
    }
}
