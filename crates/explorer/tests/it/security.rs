//! The table of `guard.rs`, row by row: each is refused, and the same request without what is wrong is answered.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use quotient_explorer::guard::token;
use quotient_explorer::http::{Limits, POLICY};
use quotient_explorer::server::Server;

use crate::toy::{Site, TOKEN, status, with_site};

fn site(body: impl FnOnce(&Site)) {
    with_site(Limits::default(), body);
}

/// The status of a request with these words in place of the usual ones.
fn with(site: &Site, first: &str, host: &str, headers: &str) -> u16 {
    status(&site.raw(format!("{first} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").as_bytes()))
}

#[test]
fn only_loopback_addresses_are_bound() {
    for address in [IpAddr::V4(Ipv4Addr::UNSPECIFIED), "192.0.2.1".parse().expect("an address")] {
        let error = Server::bind(SocketAddr::new(address, 0), TOKEN.to_owned()).err().expect("a refusal");
        assert!(error.to_string().contains("not a loopback address"), "{error}");
    }
}

#[test]
fn without_the_token_nothing_is_answered() {
    site(|site| {
        let (host, port) = (site.host(), site.port);
        let cookie = |value: &str| format!("Cookie: quotient-{port}={value}\r\n");
        for path in ["/", "/app.js", "/style.css", "/api/events", "/api/call"] {
            assert_eq!(with(site, &format!("GET {path}"), &host, ""), 403, "{path}");
            assert_eq!(with(site, &format!("GET {path}"), &host, &cookie("0")), 403, "{path}");
            assert_eq!(
                with(site, &format!("GET {path}"), &host, &cookie(&TOKEN.replace('f', "e"))),
                403,
                "{path}"
            );
        }
        // The cookie of another port is another cookie, and a token elsewhere than at `/` is none.
        assert_eq!(with(site, "GET /", &host, &format!("Cookie: quotient-1={TOKEN}\r\n")), 403);
        assert_eq!(with(site, &format!("GET /app.js?token={TOKEN}"), &host, ""), 403);
        assert_eq!(with(site, "GET /?token=", &host, ""), 403);
        assert_eq!(with(site, "GET /", &host, &cookie(TOKEN)), 200);
    });
}

#[test]
fn the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_get() {
    site(|site| {
        let answer =
            site.raw(format!("GET /?token={TOKEN} HTTP/1.1\r\nHost: {}\r\n\r\n", site.host()).as_bytes());
        assert_eq!(status(&answer), 303);
        assert!(answer.contains("\r\nLocation: /\r\n"), "{answer}");
        let cookie =
            format!("Set-Cookie: quotient-{}={TOKEN}; Path=/; HttpOnly; SameSite=Strict\r\n", site.port);
        assert!(answer.contains(&cookie), "{answer}");
    });
}

#[test]
fn other_names_of_this_machine_are_refused() {
    site(|site| {
        let cookie = format!("Cookie: quotient-{}={TOKEN}\r\n", site.port);
        for host in [
            format!("evil.example:{}", site.port),
            format!("localhost:{}", site.port),
            "127.0.0.1".to_owned(),
            String::new(),
        ] {
            assert_eq!(with(site, "GET /", &host, &cookie), 403, "{host}");
        }
        let twice = format!("{cookie}Host: evil.example\r\n");
        assert_eq!(with(site, "GET /", &site.host(), &twice), 403);
        assert_eq!(with(site, "GET /", &site.host(), &cookie), 200);
    });
}

#[test]
fn pages_of_other_origins_are_refused() {
    site(|site| {
        let send = |origin: &str| {
            let body = r#"{"call":"take","node":1,"step":0}"#;
            let kind = "Content-Type: application/json\r\n";
            let further = format!("{origin}{kind}Content-Length: {}\r\n\r\n{body}", body.len());
            status(&site.raw(site.head("POST /api/call", &further).as_bytes()))
        };
        assert_eq!(send(&format!("Origin: http://{}\r\n", site.host())), 200);
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1", "http://localhost"]
        {
            assert_eq!(send(&format!("Origin: {origin}\r\n")), 403, "{origin}");
        }
        assert_eq!(send(""), 403, "without an origin");
        let own = format!("Origin: http://{}\r\n", site.host());
        assert_eq!(send(&format!("{own}Sec-Fetch-Site: cross-site\r\n")), 403);
        let read = site.head("GET /", "Origin: http://evil.example\r\n\r\n");
        assert_eq!(status(&site.raw(read.as_bytes())), 403);
    });
}

#[test]
fn forms_of_other_pages_cannot_call() {
    site(|site| {
        let body = r#"{"call":"about"}"#;
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let further = format!(
                "Origin: http://{}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
                site.host(),
                body.len()
            );
            assert_eq!(status(&site.raw(site.head("POST /api/call", &further).as_bytes())), 415, "{kind}");
        }
    });
}

#[test]
fn every_answer_has_the_policy() {
    site(|site| {
        for path in ["/", "/app.js", "/nothing", "/../secret"] {
            let answer = site.raw(site.head(&format!("GET {path}"), "\r\n").as_bytes());
            for line in [
                format!("Content-Security-Policy: {POLICY}"),
                "X-Content-Type-Options: nosniff".to_owned(),
                "X-Frame-Options: DENY".to_owned(),
                "Referrer-Policy: no-referrer".to_owned(),
                "Cache-Control: no-store".to_owned(),
            ] {
                assert!(answer.contains(&format!("\r\n{line}\r\n")), "{path}: {line}: {answer}");
            }
            assert!(!answer.contains("Access-Control-Allow-Origin"), "{answer}");
        }
        assert!(!POLICY.contains("unsafe"));
    });
}

#[test]
fn paths_lead_to_no_files() {
    site(|site| {
        for path in [
            "/../Cargo.toml",
            "/..%2f..%2fetc/passwd",
            "/./style.css",
            "//style.css",
            "/style.css/",
            "/%73tyle.css",
            "/etc/passwd",
            "/www/app.js",
            "/app.js%00",
        ] {
            assert_eq!(
                status(&site.raw(site.head(&format!("GET {path}"), "\r\n").as_bytes())),
                404,
                "{path}"
            );
        }
        for target in ["http://evil.example/", "file:///etc/passwd", "..", "*"] {
            assert_eq!(
                status(&site.raw(site.head(&format!("GET {target}"), "\r\n").as_bytes())),
                400,
                "{target}"
            );
        }
    });
}

#[test]
fn large_requests_are_refused_before_they_are_read() {
    site(|site| {
        let head = site.head("GET /", &format!("X: {}\r\n\r\n", "y".repeat(20_000)));
        assert_eq!(status(&site.raw(head.as_bytes())), 431);
        let announced = site.head("POST /api/call", "Content-Length: 9000000000\r\n\r\n");
        assert_eq!(status(&site.raw(announced.as_bytes())), 413);
        let body = "x".repeat(70_000);
        let sent = site.head("POST /api/call", &format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        assert_eq!(status(&site.raw(sent.as_bytes())), 413);
        let chunked = site.head("POST /api/call", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        assert_eq!(status(&site.raw(chunked.as_bytes())), 501);
    });
}

#[test]
fn other_methods_are_refused() {
    site(|site| {
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"] {
            let origin = format!("Origin: http://{}\r\n\r\n", site.host());
            assert_eq!(
                status(&site.raw(site.head(&format!("{method} /"), &origin).as_bytes())),
                405,
                "{method}"
            );
        }
    });
}

/// A client that sends a byte now and then does not hold a connection, and others are served meanwhile.
#[test]
fn slow_clients_are_sent_away() {
    let limits = Limits { time: Duration::from_millis(400), ..Limits::default() };
    with_site(limits, |site| {
        let mut slow: Vec<_> = (0..5).map(|_| site.connect()).collect();
        let started = Instant::now();
        for stream in &mut slow {
            stream.write_all(b"GET / HTTP/1.1\r\n").expect("a beginning");
        }
        assert_eq!(status(&site.raw(site.head("GET /", "\r\n").as_bytes())), 200);
        for _ in 0..20 {
            thread::sleep(Duration::from_millis(50));
            for stream in &mut slow {
                drop(stream.write_all(b"x"));
            }
        }
        for stream in &mut slow {
            let mut answer = Vec::new();
            drop(stream.read_to_end(&mut answer));
            let answer = String::from_utf8_lossy(&answer);
            assert!(answer.is_empty() || status(&answer) == 408, "{answer}");
        }
        assert!(started.elapsed() >= Duration::from_millis(400));
    });
}

/// More connections than are served at a time are refused, and served again when others end.
#[test]
fn many_connections_are_refused() {
    let limits = Limits { time: Duration::from_secs(3), ..Limits::default() };
    with_site(limits, |site| {
        let idle: Vec<_> = (0..60).map(|_| site.connect()).collect();
        thread::sleep(Duration::from_millis(300));
        let answer = site.raw(site.head("GET /", "\r\n").as_bytes());
        assert!(matches!(status(&answer), 503 | 0), "{answer}");
        drop(idle);
        let is_served = (0..50).any(|_| {
            thread::sleep(Duration::from_millis(100));
            status(&site.raw(site.head("GET /", "\r\n").as_bytes())) == 200
        });
        assert!(is_served);
    });
}

#[test]
fn tokens_are_long_and_different() {
    let tokens: Vec<String> = (0..100).map(|_| token().expect("random numbers")).collect();
    for (at, token) in tokens.iter().enumerate() {
        assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
        assert!(!tokens[..at].contains(token));
    }
}
