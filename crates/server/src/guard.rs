//! Access control: hosts, origins, and the headers that restrict the page in a browser.

use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Why a request is rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The host is missing or is not this server.
    #[error("host {0:?} is not served here, expected the address that the server names")]
    Host(String),
    /// The origin is not allowed here.
    #[error("origin {0:?} may not do this, expected the server's own or one of --origin")]
    Origin(String),
    /// A required origin is missing.
    #[error("no header Origin, expected the server's own or one of --origin")]
    NoOrigin,
}

/// A text that is not an origin.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("origin {0:?}, expected one such as https://example.org")]
pub struct UnusableOrigin(String);

/// A text that is not a valid secret.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("secret, expected {MIN_SECRET} characters of ASCII or more, without spaces")]
pub struct NoSecret;

/// Minimum characters of a secret.
const MIN_SECRET: usize = 16;

/// The owner's secret.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret from a text without surrounding spaces.
    ///
    /// # Errors
    /// A secret that is too short, or not possible in a header.
    pub fn new(text: &str) -> Result<Secret, NoSecret> {
        let text = text.trim();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_plain && text.len() >= MIN_SECRET { Ok(Secret(text.to_string())) } else { Err(NoSecret) }
    }

    /// Whether a request has the secret, as `Authorization: Bearer SECRET`. The comparison time reveals only its
    /// length.
    pub fn is_in(&self, headers: &HeaderMap) -> bool {
        let reported = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.split_once(' '));
        let reported = reported
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map_or("", |(_, reported)| reported.trim());
        let differing = reported.bytes().zip(self.0.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
        reported.len() == self.0.len() && differing == 0
    }
}

/// The hosts and origins of this server.
pub struct Guard {
    /// Hosts served by name.
    hosts: Vec<String>,
    /// Whether any address is served too, though no other name.
    addresses: bool,
    /// Origins besides the server's own.
    origins: Vec<String>,
    /// Addresses of proxies, which name their clients.
    proxies: Vec<IpAddr>,
}

/// Represents clients of a proxy with unreadable addresses. They share the limits of one address.
const NOBODY: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
/// The header in which a proxy names the client.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

impl Guard {
    /// Creates the guard of a server at this address, with these origins besides its own. It serves the names of this
    /// machine and the hosts of the origins, and every address unless it listens on loopback. Any other name is
    /// rejected: a page elsewhere may point its own name at this server.
    ///
    /// # Errors
    /// An invalid origin.
    pub fn new(address: SocketAddr, origins: &[String], proxies: &[IpAddr]) -> Result<Guard, UnusableOrigin> {
        let port = address.port();
        let mut hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        hosts.push(address.to_string());
        if port == 80 {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(String::from));
        }
        let addresses = !address.ip().to_canonical().is_loopback();
        let mut kept = Vec::new();
        for origin in origins {
            let origin = origin.trim_end_matches('/').to_ascii_lowercase();
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            let host = host.filter(|host| is_host(host)).ok_or_else(|| UnusableOrigin(origin.clone()))?;
            hosts.push(host.to_string());
            kept.push(origin);
        }
        let proxies = proxies.iter().map(IpAddr::to_canonical).collect();
        Ok(Guard { hosts, addresses, origins: kept, proxies })
    }

    /// Whether an address is a proxy's.
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.contains(&peer.to_canonical())
    }

    /// Returns the client: the peer, or the last address that a proxy names, since earlier ones may be forged.
    /// Addresses named by other peers are ignored. A client with an unreadable address is [`NOBODY`], which has no
    /// rights.
    pub fn client(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        let Some(named) = headers.get_all(FORWARDED).iter().next_back().filter(|_| self.is_proxy(peer)) else {
            return peer;
        };
        named.to_str().ok().and_then(|named| address(named.rsplit(',').next()?.trim())).unwrap_or(NOBODY)
    }

    /// Returns the origin of a request if it is another allowed origin.
    pub fn other_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        self.origins.contains(&origin.to_str().ok()?.to_ascii_lowercase()).then(|| origin.clone())
    }

    /// Lets pages of another origin read an answer, if it is allowed.
    pub fn share(&self, headers: &mut HeaderMap, origin: Option<HeaderValue>) {
        if !self.origins.is_empty() {
            headers.append(header::VARY, HeaderValue::from_static("origin"));
        }
        if let Some(origin) = origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.extend(SHARED.map(|(name, value)| (name, HeaderValue::from_static(value))));
        }
    }

    /// Returns the host of a request, in lower case.
    ///
    /// # Errors
    /// A missing host, or one that is not served.
    pub fn host(&self, headers: &HeaderMap) -> Result<String, Refused> {
        let mut named = headers.get_all(header::HOST).iter();
        let host = named.next().and_then(|host| host.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
        let known = self.hosts.contains(&host) || (self.addresses && address(&host).is_some());
        if is_host(&host) && known && named.next().is_none() { Ok(host) } else { Err(Refused::Host(shortened(&host))) }
    }

    /// Checks the origin of a request that changes data or starts an engine session. Browsers always send the origin.
    /// Other programs may omit it to start a session on the same machine.
    ///
    /// # Errors
    /// Any other origin.
    pub fn origin(&self, method: &Method, headers: &HeaderMap, peer: IpAddr) -> Result<(), Refused> {
        let host = self.host(headers)?;
        let Some(origin) = headers.get(header::ORIGIN) else {
            let local = method == Method::GET && peer.to_canonical().is_loopback();
            return if local { Ok(()) } else { Err(Refused::NoOrigin) };
        };
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) == Some(host.as_str());
        if own || self.origins.contains(&origin) { Ok(()) } else { Err(Refused::Origin(shortened(&origin))) }
    }
}

/// Whether a text is a host, with or without a port, that is valid in a header.
fn is_host(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    !text.is_empty() && text.len() <= 255 && text.chars().all(plain) && text.parse::<Authority>().is_ok()
}

/// Parses an address, with or without brackets and a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    bare.unwrap_or(text).parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Headers of every answer, except the content security policy.
const HEADERS: [(HeaderName, &str); 5] = [
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Adds the headers of every answer; `host` is the requested one, if it is served.
pub fn protect(headers: &mut HeaderMap, host: Option<&str>) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // In some browsers 'self' does not cover a socket to the same host.
    let sockets = host.map(|host| format!(" ws://{host} wss://{host}")).unwrap_or_default();
    let policy = format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; connect-src 'self'{sockets}; worker-src 'self' blob:; object-src 'none'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Headers of answers to another allowed origin: the methods, and the headers that its pages may send and read.
const SHARED: [(HeaderName, &str); 4] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type, if-none-match, range"),
    (header::ACCESS_CONTROL_EXPOSE_HEADERS, "content-range, etag, retry-after"),
    (header::ACCESS_CONTROL_MAX_AGE, "3600"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).expect("a value"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).expect("a value"));
        }
        headers
    }

    fn guard(address: &str, origins: &[&str]) -> Guard {
        let origins: Vec<_> = origins.iter().map(ToString::to_string).collect();
        let proxies = ["127.0.0.1", "::1"].map(|ip| ip.parse().expect("an address"));
        Guard::new(address.parse().expect("an address"), &origins, &proxies).expect("origins")
    }

    #[test]
    fn loopback_serves_its_own_names_alone() {
        let guard = guard("127.0.0.1:8090", &["https://Example.org/"]);
        for host in ["127.0.0.1:8090", "localhost:8090", "LOCALHOST:8090", "[::1]:8090", "example.org"] {
            assert!(guard.host(&headers(host, None)).is_ok(), "{host}");
        }
        for host in ["evil.example:8090", "127.0.0.1", "localhost:8091", "", "a b", "localhost:8090@evil"] {
            assert!(guard.host(&headers(host, None)).is_err(), "{host}");
        }
        let mut two = headers("localhost:8090", None);
        two.append(header::HOST, HeaderValue::from_static("localhost:8090"));
        assert!(guard.host(&two).is_err() && guard.host(&HeaderMap::new()).is_err());
    }

    #[test]
    fn origins_are_the_own_or_named_ones() {
        let guard = guard("127.0.0.1:8090", &["https://example.org"]);
        let [near, far] = ["127.0.0.1", "10.0.0.1"].map(|ip| ip.parse::<IpAddr>().expect("an address"));
        let may =
            |method: Method, origin, peer| guard.origin(&method, &headers("localhost:8090", origin), peer).is_ok();
        assert!(may(Method::POST, Some("http://localhost:8090"), far));
        assert!(may(Method::POST, Some("https://example.org"), far));
        for origin in ["http://localhost", "http://127.0.0.1:8090", "null", "", "http://localhost:8090.evil.example"] {
            assert!(!may(Method::POST, Some(origin), near) && !may(Method::GET, Some(origin), near), "{origin}");
        }
        assert!(may(Method::GET, None, near) && !may(Method::GET, None, far));
        assert!(!may(Method::POST, None, near) && !may(Method::DELETE, None, near));
    }

    #[test]
    fn the_owner_knows_the_secret() {
        let secret = Secret::new(" correct-horse-battery\n").expect("a secret");
        let knows = |reported: &'static str| {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(reported))]);
            secret.is_in(&headers)
        };
        assert!(knows("Bearer correct-horse-battery") && knows("bearer  correct-horse-battery"));
        for reported in
            ["", "Bearer", "Bearer ", "correct-horse-battery", "Bearer correct-horse-batterz", "Bearer correct-horse"]
        {
            assert!(!knows(reported), "{reported}");
        }
        assert!(!secret.is_in(&HeaderMap::new()));
        assert!(Secret::new("short").is_err() && Secret::new("sixteen or more, with spaces").is_err());
    }

    #[test]
    fn proxies_alone_name_others() {
        let guard = guard("127.0.0.1:8090", &[]);
        let client = |peer: &str, named: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for name in named {
                headers.append(FORWARDED, HeaderValue::from_static(name));
            }
            guard.client(&headers, peer.parse().expect("an address")).to_string()
        };
        assert_eq!(client("127.0.0.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(client("::ffff:127.0.0.1", &["127.0.0.1, 2001:db8::1"]), "2001:db8::1");
        assert_eq!(client("127.0.0.1", &["5.5.5.5", "6.6.6.6 , 1.2.3.4"]), "1.2.3.4", "the last of all");
        assert_eq!(client("9.9.9.9", &["1.2.3.4"]), "9.9.9.9", "no proxy");
        for (named, known) in [
            ("1.2.3.4:80", "1.2.3.4"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("127.0.0.1:99", "127.0.0.1"),
        ] {
            assert_eq!(client("127.0.0.1", &[named]), known);
        }
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1", "the proxy's machine itself");
        for nonsense in ["", "unknown", "_hidden", "1.2.3.4,", "1.2.3.4:", "[::1", "::1]:80", "localhost", "127.1"] {
            assert_eq!(client("127.0.0.1", &["127.0.0.1", nonsense]), NOBODY.to_string(), "{nonsense:?}");
        }
    }

    /// Generates headers close to addresses, and any others.
    fn forwarded() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            prop::sample::select(vec![
                "127.0.0.1",
                "::1",
                "8.8.8.8",
                "::ffff:127.0.0.1",
                "[",
                "]",
                ":80",
                ",",
                " ",
                "unknown"
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 0..4),
        ];
        prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat())
    }

    proptest! {
        /// A client counts as local only if the proxy names a local address, whatever the header contains.
        #[test]
        fn what_cannot_be_read_gives_no_rights(text in forwarded()) {
            let guard = guard("127.0.0.1:8090", &[]);
            let Ok(value) = HeaderValue::from_bytes(&text) else { return Ok(()) };
            let headers = HeaderMap::from_iter([(FORWARDED, value)]);
            let client = guard.client(&headers, IpAddr::V4(Ipv4Addr::LOCALHOST));
            let last = text.rsplit(|&byte| byte == b',').next().unwrap_or_default().trim_ascii();
            let last = str::from_utf8(last).unwrap_or_default();
            let without_port = last.rsplit_once(':').map_or(last, |(address, _)| address);
            let is_named = [last, without_port].iter().any(|text| {
                let address = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
                address.is_ok_and(|address| address.to_canonical().is_loopback())
            });
            prop_assert!(is_named || !client.to_canonical().is_loopback(), "{client}");
        }
    }

    #[test]
    fn elsewhere_every_address_is_served_and_no_name() {
        let guard = guard("0.0.0.0:8090", &["http://Board.example:8090"]);
        for host in
            ["192.168.1.2:8090", "[fe80::1]:8090", "[fe80::1]", "10.0.0.1", "localhost:8090", "board.example:8090"]
        {
            assert!(guard.host(&headers(host, None)).is_ok(), "{host}");
        }
        for host in ["evil.example:8090", "evil.example", "x;y", "192.168.1.2.evil.example"] {
            assert!(guard.host(&headers(host, None)).is_err(), "{host}");
        }
        let bad = Guard::new("127.0.0.1:1".parse().expect("an address"), &["example.org".to_string()], &[]);
        assert!(bad.is_err());
        let mut out = HeaderMap::new();
        protect(&mut out, Some("example.org"));
        let policy = out.get(header::CONTENT_SECURITY_POLICY).and_then(|value| value.to_str().ok());
        assert!(policy.is_some_and(|policy| policy.contains("connect-src 'self' ws://example.org wss://example.org;")));
    }
}
