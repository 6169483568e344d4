//! Who may use the page.
//!
//! | who asks                                              | what stops them                                             |
//! |-------------------------------------------------------|-------------------------------------------------------------|
//! | other machines                                        | the server listens at a loopback address, or not at all     |
//! | other users and programs of this machine              | a token of 128 random bits, in the address that is printed  |
//! | pages of other origins, in the same browser           | the cookie is `SameSite=Strict`; `Origin` must be our own   |
//! | names that lead to this machine (DNS rebinding)       | `Host` must be the address that the server listens at       |
//! | pages that show ours in a frame                       | the content policy, `X-Frame-Options`                       |
//! | markup in names and texts of a model                  | the page writes text by `textContent`; the content policy   |
//! | paths out of the folder                               | there is no folder: a path names a part of the program      |
//! | requests that are long, slow or many                  | limits on heads, bodies, time and connections               |
//!
//! The token is exchanged for a cookie at the first request, so that it does not stay in the address. The name of the
//! cookie contains the port, since cookies are shared by all ports of a host.

use crate::http::{Request, Response};

/// The address and the secrets of a server.
#[derive(Clone, Debug)]
pub struct Guard {
    /// `127.0.0.1:4711`.
    host: String,
    port: u16,
    token: String,
}

/// What a request may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admission {
    Admitted,
    /// It is answered with this.
    Refused(Response),
}

impl Guard {
    pub fn new(host: String, port: u16, token: String) -> Self {
        Self { host, port, token }
    }

    /// The address to open.
    pub fn address(&self) -> String {
        format!("http://{}/?token={}", self.host, self.token)
    }

    fn cookie(&self) -> String {
        format!("quotient-{}", self.port)
    }

    /// Whether a request comes from the page, or from the person who started the server.
    pub fn admit(&self, request: &Request) -> Admission {
        if request.header("host") != Some(&self.host) {
            return Admission::Refused(Response::status(403));
        }
        let origin = format!("http://{}", self.host);
        let is_own_origin = request.header("origin").is_none_or(|other| other == origin);
        let site = request.header("sec-fetch-site");
        let is_own_site = site.is_none_or(|site| matches!(site, "same-origin" | "none"));
        let is_read = request.method == "GET";
        if !is_own_origin || !is_read && (request.header("origin").is_none() || !is_own_site) {
            return Admission::Refused(Response::status(403));
        }
        if !is_read && request.method != "POST" {
            return Admission::Refused(Response::status(405));
        }
        if request.cookie(&self.cookie()).is_some_and(|cookie| self.is_token(cookie)) {
            return Admission::Admitted;
        }
        if is_read
            && request.path == "/"
            && request.parameter("token").is_some_and(|token| self.is_token(token))
        {
            let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie(), self.token);
            let moved = Response::status(303).with("Location", "/").with("Set-Cookie", cookie);
            return Admission::Refused(moved);
        }
        Admission::Refused(Response::status(403))
    }

    /// Compares in a time that does not depend on where the first difference is.
    fn is_token(&self, other: &str) -> bool {
        let (own, other) = (self.token.as_bytes(), other.as_bytes());
        own.len() == other.len() && own.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

/// A new token.
pub fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |out, byte| format!("{out}{byte:02x}")))
}
