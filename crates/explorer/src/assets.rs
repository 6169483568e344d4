//! The parts of the page. They are in the program: a path is compared with these, and opens no file.

use crate::http::Response;

const ASSETS: [(&str, &str, &str); 7] = [
    ("/", "text/html; charset=utf-8", include_str!("../www/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("../www/style.css")),
    ("/app.js", "text/javascript; charset=utf-8", include_str!("../www/app.js")),
    ("/dom.js", "text/javascript; charset=utf-8", include_str!("../www/dom.js")),
    ("/panes.js", "text/javascript; charset=utf-8", include_str!("../www/panes.js")),
    ("/timeline.js", "text/javascript; charset=utf-8", include_str!("../www/timeline.js")),
    ("/icon.svg", "image/svg+xml", include_str!("../www/icon.svg")),
];

/// The part with this path.
pub fn asset(path: &str) -> Option<Response> {
    if path == "/look.css" {
        return Some(Response::new(200, "text/css; charset=utf-8", draw::look::sheet().as_str()));
    }
    let (_, kind, text) = ASSETS.iter().find(|(name, _, _)| *name == path)?;
    Some(Response::new(200, kind, *text))
}
