//! Addresses of servers.

use std::fmt;
use std::str::FromStr;

/// The address of a server: `http://HOST` or `http://HOST:PORT`, with a path where the server is not at the root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address(String);

/// The error for a text that is not the address of a server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is no address, expected http://HOST or http://HOST:PORT")]
pub struct NoAddress(String);

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Address, NoAddress> {
        let address = text.trim_end_matches('/');
        let sound = address.strip_prefix("http://").is_some_and(|rest| {
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
        for address in ["http://localhost", "http://localhost:8080", "http://[::1]:80", "http://a.b/c"] {
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
            "https://a",
            "http://a b",
            "ftp://a",
        ] {
            let fault = read(wrong).expect_err(wrong).to_string();
            assert_eq!(fault, format!("{wrong:?} is no address, expected http://HOST or http://HOST:PORT"));
        }
    }
}
