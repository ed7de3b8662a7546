//! Addresses of servers and of files.

use std::fmt;
use std::str::FromStr;

/// The address of a server or a file: `https://HOST` or `http://HOST:PORT`, with a path where it is not at the root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address(String);

/// The error for a text that is not such an address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no address, expected http://HOST, http://HOST:PORT or the same with https")]
pub struct NoAddress(String);

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Address, NoAddress> {
        let address = text.trim_end_matches('/');
        let rest = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"));
        let sound = rest.is_some_and(|rest| {
            let host = rest.split('/').next().unwrap_or_default();
            let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
            !name.is_empty() && port.parse::<u16>().is_ok() && rest.bytes().all(|byte| byte.is_ascii_graphic())
        });
        if sound { Ok(Address(address.to_string())) } else { Err(NoAddress(text.to_string())) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_host() {
        let read = |text: &str| text.parse::<Address>().map(|address| address.to_string());
        for address in ["http://localhost", "http://localhost:8080", "https://[::1]:80", "https://a.b/c.mbt"] {
            assert_eq!(read(address).as_deref(), Ok(address));
            assert_eq!(read(&format!("{address}/")).as_deref(), Ok(address));
        }
        for wrong in [
            "",
            "http://",
            "http:///a",
            "http://:80",
            "http://a:x",
            "http://a:99999",
            "https://",
            "http://a b",
            "ftp://a",
        ] {
            let fault = read(wrong).expect_err(wrong).to_string();
            assert_eq!(
                fault,
                format!("{wrong:?} is no address, expected http://HOST, http://HOST:PORT or the same with https")
            );
        }
    }
}
