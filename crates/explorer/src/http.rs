//! As much of HTTP/1.1 (RFC 9112) as a page of our own needs: one request per connection, with a length, within limits.
//!
//! What is not understood is refused: transfer encodings, other versions, targets that are not paths. A request must be
//! complete within [`Limits::time`], however slowly it comes.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// How large and how slow a request may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub head: usize,
    pub body: usize,
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: 16 << 10, body: 64 << 10, time: Duration::from_secs(5) }
    }
}

/// A request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub method: String,
    /// The target before the `?`.
    pub path: String,
    pub query: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why there is no request: the status with which that is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// 400
    BadRequest,
    /// 408
    TooSlow,
    /// 413
    BodyTooLarge,
    /// 431
    HeadTooLarge,
    /// 501
    NotImplemented,
    /// 505
    Version,
    /// Nothing came, or the other side is gone.
    Gone,
}

impl Malformed {
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest | Self::Gone => 400,
            Self::TooSlow => 408,
            Self::BodyTooLarge => 413,
            Self::HeadTooLarge => 431,
            Self::NotImplemented => 501,
            Self::Version => 505,
        }
    }
}

/// Something to read from that can be told how long it may wait.
pub trait Timed: Read {
    fn wait_at_most(&mut self, time: Duration) -> io::Result<()>;
}

impl Timed for std::net::TcpStream {
    fn wait_at_most(&mut self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))
    }
}

impl Request {
    /// Reads a request.
    pub fn read(from: &mut impl Timed, limits: &Limits) -> Result<Self, Malformed> {
        let deadline = Instant::now() + limits.time;
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = end_of_head(&bytes) {
                break end;
            }
            if bytes.len() > limits.head {
                return Err(Malformed::HeadTooLarge);
            }
            receive(from, &mut bytes, deadline)?;
        };
        if end > limits.head {
            return Err(Malformed::HeadTooLarge);
        }
        let head = std::str::from_utf8(&bytes[..end]).map_err(|_| Malformed::BadRequest)?;
        let mut request = Self::parse(head)?;
        if request.header("transfer-encoding").is_some() {
            return Err(Malformed::NotImplemented);
        }
        let lengths: Vec<&str> = request
            .headers
            .iter()
            .filter(|(name, _)| name == "content-length")
            .map(|(_, value)| &**value)
            .collect();
        let length = match lengths[..] {
            [] => 0,
            [length] if !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit()) => {
                length.parse().map_err(|_| Malformed::BodyTooLarge)?
            }
            _ => return Err(Malformed::BadRequest),
        };
        if length > limits.body {
            return Err(Malformed::BodyTooLarge);
        }
        let mut body = bytes.split_off(end + 4);
        while body.len() < length {
            receive(from, &mut body, deadline)?;
        }
        if body.len() > length {
            // A second request before the answer to the first.
            return Err(Malformed::BadRequest);
        }
        request.body = body;
        Ok(request)
    }

    fn parse(head: &str) -> Result<Self, Malformed> {
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Malformed::BadRequest);
        };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Malformed::Version);
        }
        let is_plain = |byte: u8| byte.is_ascii_graphic();
        if !target.starts_with('/') || !target.bytes().all(is_plain) || target.contains('#') {
            return Err(Malformed::BadRequest);
        }
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(Malformed::BadRequest)?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_name) || value.contains(['\r', '\n', '\0']) {
                return Err(Malformed::BadRequest);
            }
            headers.push((name.to_ascii_lowercase(), value.trim_matches([' ', '\t']).to_owned()));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Ok(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body: Vec::new(),
        })
    }

    /// The value of a header, if it is there once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(other, _)| other == name);
        let first = all.next()?;
        all.next().is_none().then_some(first.1.as_str())
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let all = self.header("cookie")?.split(';');
        all.filter_map(|pair| pair.trim().split_once('='))
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }

    /// The value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let all = self.query.split('&').filter_map(|pair| pair.split_once('='));
        all.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n")
}

fn receive(from: &mut impl Timed, bytes: &mut Vec<u8>, deadline: Instant) -> Result<(), Malformed> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Malformed::TooSlow);
    }
    from.wait_at_most(left).map_err(|_| Malformed::Gone)?;
    let mut buffer = [0; 4096];
    match from.read(&mut buffer) {
        Ok(0) => Err(Malformed::Gone),
        Ok(count) => {
            bytes.extend(&buffer[..count]);
            Ok(())
        }
        Err(error) => match error.kind() {
            io::ErrorKind::Interrupted => Ok(()),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Err(Malformed::TooSlow),
            _ => Err(Malformed::Gone),
        },
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    pub status: u16,
    pub kind: &'static str,
    /// Further headers. Their values are made by the program.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// What a page of ours may do: nothing but load its own parts, and ask its own server.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                          connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

impl Response {
    pub fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, headers: Vec::new(), body: body.into() }
    }

    /// An answer without anything but its status.
    pub fn status(status: u16) -> Self {
        Self::new(status, "text/plain; charset=utf-8", reason(status))
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The head, which says how long the body is unless it has no end.
    pub fn head(&self, has_end: bool) -> String {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        let mut add = |name: &str, value: &str| {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        };
        add("Content-Type", self.kind);
        add("Content-Security-Policy", POLICY);
        add("X-Content-Type-Options", "nosniff");
        add("X-Frame-Options", "DENY");
        add("Referrer-Policy", "no-referrer");
        add("Cross-Origin-Opener-Policy", "same-origin");
        add("Cross-Origin-Resource-Policy", "same-origin");
        add("Cache-Control", "no-store");
        add("Connection", "close");
        if has_end {
            add("Content-Length", &self.body.len().to_string());
        }
        for (name, value) in &self.headers {
            add(name, value);
        }
        head + "\r\n"
    }

    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(self.head(true).as_bytes())?;
        to.write_all(&self.body)?;
        to.flush()
    }
}

const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        303 => "See Other",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    impl Timed for Pieces {
        fn wait_at_most(&mut self, _: Duration) -> io::Result<()> {
            Ok(())
        }
    }

    fn read(text: &str, size: usize) -> Result<Request, Malformed> {
        let pieces = text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        Request::read(&mut Pieces(pieces), &Limits { head: 200, body: 20, time: Duration::from_secs(5) })
    }

    #[test]
    fn requests_in_pieces() {
        let text = "POST /api/call?a=1&b=2 HTTP/1.1\r\nHost: h\r\nContent-Length:  4 \r\ncookie: x=1; y=2\r\n\r\nbody";
        for size in 1..text.len() {
            let request = read(text, size).expect("a request");
            assert_eq!(
                (&*request.method, &*request.path, &*request.body),
                ("POST", "/api/call", &b"body"[..])
            );
            assert_eq!((request.header("host"), request.cookie("y")), (Some("h"), Some("2")));
            assert_eq!((request.parameter("b"), request.parameter("c")), (Some("2"), None));
        }
    }

    #[test]
    fn what_is_not_a_request_of_ours() {
        let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(300));
        let many = format!("GET / HTTP/1.1\r\n{}", "a: b\r\n".repeat(100));
        for (text, expect) in [
            ("", Malformed::Gone),
            ("GET / HTTP/1.1\r\n", Malformed::Gone),
            ("GET  / HTTP/1.1\r\n\r\n", Malformed::BadRequest),
            ("GET / HTTP/2\r\n\r\n", Malformed::Version),
            ("GET http://evil/ HTTP/1.1\r\n\r\n", Malformed::BadRequest),
            ("GET * HTTP/1.1\r\n\r\n", Malformed::BadRequest),
            ("GET /\u{e4} HTTP/1.1\r\n\r\n", Malformed::BadRequest),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", Malformed::BadRequest),
            ("GET / HTTP/1.1\r\na b: c\r\n\r\n", Malformed::BadRequest),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", Malformed::NotImplemented),
            ("GET / HTTP/1.1\r\nContent-Length: 21\r\n\r\n", Malformed::BodyTooLarge),
            ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", Malformed::BodyTooLarge),
            ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", Malformed::BadRequest),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", Malformed::BadRequest),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\nab", Malformed::BadRequest),
            ("GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", Malformed::Gone),
            (&long, Malformed::HeadTooLarge),
            (&many, Malformed::HeadTooLarge),
        ] {
            assert_eq!(read(text, 64), Err(expect), "{text:?}");
        }
    }

    #[test]
    fn a_header_that_is_there_twice_has_no_value() {
        let request = read("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 99).expect("a request");
        assert_eq!(request.header("host"), None);
    }
}
