//! Results as pages of HTML that stand alone: one file, no scripts, no requests, the same from a disk, an attachment or
//! a server.
//!
//! Plain data goes in. What it says is decided by those who make it: `cli` for reports of programs, `command` for those
//! of models in Rust. Here it is decided how a page looks, and that text of a model is text: pages are written by
//! [`draw::markup`], which has no way to take text for markup, and carry a content policy that forbids everything but
//! their own style, by its hash.

mod sha256;

use draw::diagram::Tone;
use draw::look;
use draw::markup::{Attributes, Markup, Sheet};

use sha256::sha256_base64;

/// A page.
#[derive(Clone, Default, Debug)]
pub struct Page {
    pub title: String,
    /// The result in a word or two.
    pub verdict: String,
    pub tone: Tone,
    /// What the verdict says, in a sentence each.
    pub summary: Vec<String>,
    pub sections: Vec<Section>,
    /// The trail, as JSON, for programs that read the page.
    pub trail: Option<String>,
}

/// A part of a page.
#[derive(Clone, Default, Debug)]
pub struct Section {
    pub title: String,
    /// It is folded until it is asked for.
    pub is_folded: bool,
    pub blocks: Vec<Block>,
}

/// What a section consists of.
#[derive(Clone, Debug)]
pub enum Block {
    Text(String),
    Code(String),
    List(Vec<String>),
    /// Names and values.
    Facts(Vec<(String, String)>),
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    /// A picture, and what it shows.
    Picture(Markup, String),
    Run(Vec<Line>),
    Source {
        file: String,
        lines: Vec<SourceLine>,
    },
}

/// A line of a run: a step, or what is said between steps.
#[derive(Clone, Default, Debug)]
pub struct Line {
    pub number: String,
    pub thread: String,
    pub place: String,
    pub text: String,
    pub changes: Vec<String>,
    pub tone: Tone,
}

/// A line of a model. Lines with numbers that do not follow each other have a gap between them.
#[derive(Clone, Default, Debug)]
pub struct SourceLine {
    pub number: u32,
    pub text: String,
    /// Why it is shown.
    pub note: Option<String>,
}

/// The element that has the trail.
const TRAIL: &str = "trail";

const RULES: &str = "\
*{box-sizing:border-box}body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--paper);color:var(--ink);\
font:15px/1.5 system-ui,sans-serif}\
h1{font-size:1.25rem;margin:0 0 .5rem;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:0;display:inline}\
header{border-left:.4rem solid var(--edge);padding:.2rem 1rem;margin-bottom:1.5rem}\
header.bad{border-color:var(--bad)}header.good{border-color:var(--good)}header.doubt{border-color:var(--doubt)}\
.verdict{font-size:1.6rem;font-weight:700;margin:0}.bad .verdict,.bad-line b{color:var(--bad)}\
.good .verdict{color:var(--good)}.doubt .verdict{color:var(--doubt)}\
section,details.part{border-top:1px solid var(--faint);padding:1rem 0}details.part>summary{cursor:pointer}\
pre,code,.run,td.m,dd{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:13px}\
pre{background:var(--card);border:1px solid var(--faint);border-radius:4px;padding:.7rem;overflow-x:auto;margin:.6rem 0}\
figure{margin:1rem 0;overflow-x:auto}figcaption{color:var(--quiet);font-size:13px}\
table{border-collapse:collapse;margin:.6rem 0;display:block;overflow-x:auto}\
th,td{text-align:left;padding:.2rem .9rem .2rem 0;vertical-align:top;border-bottom:1px solid var(--faint)}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.6rem 0}dt{color:var(--quiet)}\
dd{margin:0;overflow-wrap:anywhere}\
ol.run{list-style:none;padding:0;margin:.6rem 0}.run>li{border-bottom:1px solid var(--faint);padding:.15rem 0}\
.run .n{display:inline-block;min-width:4.5rem;color:var(--quiet);text-align:right;padding-right:.8rem}\
.run .t{display:inline-block;min-width:9rem;color:var(--link);padding-right:.8rem}.run .p{color:var(--quiet)}\
.run ul{margin:.1rem 0 .2rem 5.6rem;padding:0;list-style:none;color:var(--quiet);overflow-wrap:anywhere}\
.run .bad-line{background:var(--bad-card)}.run .cycle-line{background:var(--new-card)}\
.source .hit{background:var(--bad-card)}.source .note{color:var(--bad)}.source .n{color:var(--quiet)}\
ul{margin:.4rem 0;padding-left:1.4rem}footer{border-top:1px solid var(--faint);color:var(--quiet);padding-top:.7rem;font-size:13px}\
:focus-visible{outline:2px solid var(--link);outline-offset:2px}\
";

fn sheet() -> Sheet {
    look::sheet().with(RULES)
}

const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Bad => "bad",
        Tone::Good => "good",
        Tone::Doubt => "doubt",
        Tone::Plain | Tone::Cycle | Tone::Link => "plain",
    }
}

impl Page {
    pub fn html(&self, tool: &str) -> String {
        let sheet = sheet();
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
            sha256_base64(sheet.as_str().as_bytes())
        );
        let mut page = Markup::default();
        page.doctype();
        page.element("html", &[("lang", "en".into())], |html| {
            html.element("head", &[], |head| {
                head.void("meta", &[("charset", "utf-8".into())]);
                let policy: Attributes<'_, '_> =
                    &[("http-equiv", "Content-Security-Policy".into()), ("content", policy.into())];
                head.void("meta", policy);
                head.void("meta", &[("name", "referrer".into()), ("content", "no-referrer".into())]);
                let view = "width=device-width, initial-scale=1";
                head.void("meta", &[("name", "viewport".into()), ("content", view.into())]);
                head.void("meta", &[("name", "generator".into()), ("content", tool.into())]);
                head.words("title", &[], &format!("{}: {}", self.title, self.verdict));
                head.style(&sheet);
            });
            html.newline();
            html.element("body", &[], |body| self.body(tool, body));
        });
        page.newline();
        page.into_string()
    }

    fn body(&self, tool: &str, body: &mut Markup) {
        body.element("header", &[("class", class(self.tone).into())], |header| {
            header.words("h1", &[], &self.title);
            header.words("p", &[("class", "verdict".into())], &self.verdict);
            self.summary.iter().for_each(|line| header.words("p", &[], line));
        });
        body.newline();
        body.element("main", &[], |main| {
            self.sections
                .iter()
                .filter(|section| !section.blocks.is_empty())
                .for_each(|section| section.write(main));
        });
        if let Some(trail) = &self.trail {
            body.json(TRAIL, trail);
        }
        body.words("footer", &[], &format!("Made by {tool}."));
    }
}

impl Section {
    fn write(&self, main: &mut Markup) {
        let blocks = |inside: &mut Markup| self.blocks.iter().for_each(|block| block.write(inside));
        if self.is_folded {
            main.element("details", &[("class", "part".into())], |details| {
                details.element("summary", &[], |summary| summary.words("h2", &[], &self.title));
                blocks(details);
            });
        } else {
            main.element("section", &[], |section| {
                section.words("h2", &[], &self.title);
                blocks(section);
            });
        }
        main.newline();
    }
}

impl Block {
    fn write(&self, out: &mut Markup) {
        match self {
            Self::Text(text) => out.words("p", &[], text),
            Self::Code(text) => out.words("pre", &[("tabindex", "0".into())], text),
            Self::List(items) => {
                out.element("ul", &[], |list| items.iter().for_each(|item| list.words("li", &[], item)));
            }
            Self::Facts(facts) => out.element("dl", &[], |list| {
                for (name, value) in facts {
                    list.words("dt", &[], name);
                    list.words("dd", &[], value);
                }
            }),
            Self::Table { head, rows } => out.element("table", &[], |table| {
                table.element("thead", &[], |part| {
                    part.element("tr", &[], |row| {
                        for cell in head {
                            row.words("th", &[("scope", "col".into())], cell);
                        }
                    });
                });
                table.element("tbody", &[], |part| {
                    for cells in rows {
                        part.element("tr", &[], |row| {
                            for cell in cells {
                                row.words("td", &[("class", "m".into())], cell);
                            }
                        });
                    }
                });
            }),
            Self::Picture(picture, caption) => out.element("figure", &[("tabindex", "0".into())], |figure| {
                figure.add(picture);
                figure.words("figcaption", &[], caption);
            }),
            Self::Run(lines) => out.element("ol", &[("class", "run".into())], |list| {
                for line in lines {
                    line.write(list);
                }
            }),
            Self::Source { file, lines } => source(file, lines, out),
        }
    }
}

impl Line {
    fn write(&self, list: &mut Markup) {
        let class = match self.tone {
            Tone::Bad => "bad-line",
            Tone::Cycle => "cycle-line",
            _ => "line",
        };
        list.element("li", &[("class", class.into())], |item| {
            item.words("span", &[("class", "n".into())], &self.number);
            item.words("span", &[("class", "t".into())], &self.thread);
            if self.tone == Tone::Bad {
                item.words("b", &[], &self.text);
            } else {
                item.words("code", &[], &self.text);
            }
            if !self.place.is_empty() {
                item.words("span", &[("class", "p".into())], &format!("  {}", self.place));
            }
            if !self.changes.is_empty() {
                item.element("ul", &[], |list| {
                    self.changes.iter().for_each(|change| list.words("li", &[], change));
                });
            }
        });
        list.newline();
    }
}

fn source(file: &str, lines: &[SourceLine], out: &mut Markup) {
    out.words("p", &[], file);
    out.element("pre", &[("class", "source".into()), ("tabindex", "0".into())], |pre| {
        let mut last = None;
        for SourceLine { number, text, note } in lines {
            if last.is_some_and(|last| last + 1 != *number) {
                pre.text("    ⋮\n");
            }
            last = Some(*number);
            let class = if note.is_some() { "hit" } else { "plain" };
            pre.element("span", &[("class", class.into())], |line| {
                line.words("span", &[("class", "n".into())], &format!("{number:>5} "));
                line.text(text);
                if let Some(note) = note {
                    line.words("span", &[("class", "note".into())], &format!("   ← {note}"));
                }
            });
            pre.text("\n");
        }
    });
}

/// The trail in a page, if it is a page that has one.
pub fn trail_of(html: &str) -> Option<&str> {
    if !html.starts_with("<!DOCTYPE html>") {
        return None;
    }
    // Text of a model cannot contain this, since its quotes and angles are escaped.
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"trail\">")?;
    rest.split_once("</script>").map(|(trail, _)| trail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "</title></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"'";

    fn page(text: &str) -> Page {
        let text = text.to_owned();
        let line = Line { text: text.clone(), changes: vec![text.clone()], ..Line::default() };
        let lines = vec![SourceLine { number: 3, text: text.clone(), note: Some(text.clone()) }];
        let blocks = vec![
            Block::Text(text.clone()),
            Block::Code(text.clone()),
            Block::List(vec![text.clone()]),
            Block::Facts(vec![(text.clone(), text.clone())]),
            Block::Table { head: vec![text.clone()], rows: vec![vec![text.clone()]] },
            Block::Picture(Markup::default(), text.clone()),
            Block::Run(vec![line]),
            Block::Source { file: text.clone(), lines },
        ];
        let folded = Section { title: text.clone(), is_folded: true, blocks: blocks.clone() };
        let sections = vec![Section { title: text.clone(), is_folded: false, blocks }, folded];
        let (summary, trail) = (vec![text.clone()], Some(format!("{{\"a\":{text:?}}}")));
        Page { title: text.clone(), verdict: text, tone: Tone::Bad, summary, sections, trail }
    }

    /// The names of all tags.
    fn tags(html: &str) -> Vec<&str> {
        html.split('<').skip(1).filter_map(|part| part.split([' ', '>']).next()).collect()
    }

    #[test]
    fn hostile_text_adds_no_elements() {
        let (plain, hostile) = (page("plain").html("tool"), page(HOSTILE).html("tool"));
        assert_eq!(tags(&hostile), tags(&plain));
        assert!(!hostile.contains("<script>") && !hostile.contains("<img"));
    }

    #[test]
    fn the_trail_can_be_read_again() {
        let html = page(HOSTILE).html("tool");
        let trail = trail_of(&html).expect("a trail");
        assert_eq!(trail, format!("{{\"a\":{HOSTILE:?}}}").replace('<', "\\u003c"));
        assert_eq!(trail_of("{}"), None);
        assert_eq!(trail_of(&Page::default().html("tool")), None);
    }

    /// What a browser compares: the hash of exactly the text between the tags of the style.
    #[test]
    fn the_policy_allows_the_style_and_nothing_else() {
        let html = page("x").html("tool");
        let style =
            html.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).expect("a style");
        assert!(html.contains(&format!("style-src &#39;sha256-{}&#39;", sha256_base64(style.as_bytes()))));
        assert!(html.contains("default-src &#39;none&#39;"));
        assert!(!html.contains(" style=") && !html.contains("http://www.w3.org/1999"));
        assert_eq!(html.matches("<style>").count(), 1);
    }
}
