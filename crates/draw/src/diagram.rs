//! Boxes with rows of text, and links between them: the form of state graphs and of the objects of a state.

use crate::layered::{self, Input, Layout, Link, Point, Rect, Route, Size};
use crate::look::{SMALL, TEXT, sheet};
use crate::markup::{Attributes, Markup, Value, number_into};
use crate::text::{cut, width};

/// A diagram.
#[derive(Clone, Default, Debug)]
pub struct Diagram {
    /// What the picture shows, for those who cannot see it.
    pub title: String,
    pub boxes: Vec<Item>,
    pub links: Vec<Connection>,
    /// The column of each box, if they are known.
    pub columns: Option<Vec<u32>>,
    /// Lines below the picture.
    pub caption: Vec<String>,
}

/// A box.
#[derive(Clone, Default, Debug)]
pub struct Item {
    /// What programs call it.
    pub key: String,
    pub title: String,
    pub rows: Vec<Row>,
    pub mark: Mark,
    /// It has a second border.
    pub is_first: bool,
    /// It is the one that is looked at.
    pub is_here: bool,
}

/// What is to be seen of a box at once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mark {
    #[default]
    None,
    /// Something is wrong with it.
    Bad,
    /// A run may end here.
    End,
    /// It was made by the last step.
    New,
    /// It has links that are not shown.
    Open,
    /// It has come to its end.
    Gone,
}

/// A line in a box.
#[derive(Clone, Default, Debug)]
pub struct Row {
    pub text: String,
    pub tone: Tone,
    /// It was changed by the last step.
    pub is_changed: bool,
}

/// The colour of a text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Tone {
    #[default]
    Plain,
    Bad,
    Good,
    Doubt,
    Cycle,
    Link,
}

impl Tone {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bad => "t-bad",
            Self::Good => "t-good",
            Self::Doubt => "t-doubt",
            Self::Cycle => "t-loop",
            Self::Link => "t-link",
        }
    }
}

/// A link.
#[derive(Clone, Default, Debug)]
pub struct Connection {
    pub from: usize,
    pub to: usize,
    /// The row at which it begins.
    pub row: Option<usize>,
    /// What is written at it, each on a line.
    pub label: Vec<String>,
    pub look: Look,
}

/// How a link is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Look {
    #[default]
    Plain,
    /// On the way of a run.
    Stem,
    /// On the part of a run that is repeated.
    Cycle,
    Holds,
    Wants,
}

/// The most columns of text in a box, and at a link.
const WIDEST_ROW: usize = 56;
const WIDEST_LABEL: usize = 40;
/// The most lines in a box, and at a link. Others are counted.
const MOST_ROWS: usize = 24;
const MOST_LABELS: usize = 4;

const PAD: f64 = 8.0;
const HEAD: f64 = 20.0;
const ROW: f64 = 16.0;
const LABEL: f64 = 13.0;
const MARGIN: f64 = 16.0;
/// How long the head of an arrow is.
const TIP: f64 = 7.0;

impl Diagram {
    /// The picture by itself, with its style.
    pub fn svg(&self) -> Markup {
        self.write(true)
    }

    /// The picture as a part of a page that has the style.
    pub fn part(&self) -> Markup {
        self.write(false)
    }

    /// Where everything goes.
    pub fn layout(&self) -> Layout {
        let boxes: Vec<Size> = self.boxes.iter().map(Item::size).collect();
        let links: Vec<Link> = self.links.iter().map(|link| link.room(&self.boxes)).collect();
        layered::layout(&Input { boxes: &boxes, links: &links, columns: self.columns.as_deref() })
    }

    fn write(&self, has_style: bool) -> Markup {
        let layout = self.layout();
        let captions = self.caption.iter().map(|line| width(line, SMALL)).fold(0.0, f64::max);
        let size = Size {
            width: layout.size.width.max(captions) + 2.0 * MARGIN,
            height: layout.size.height + 2.0 * MARGIN + 16.0 * self.caption.len() as f64,
        };
        picture(size, &self.title, has_style, |svg| {
            let shift = format!("translate({MARGIN} {MARGIN})");
            svg.element("g", &[("transform", shift.into())], |svg| {
                for (link, route) in self.links.iter().zip(&layout.routes) {
                    link.draw(route, svg);
                }
                for (item, rect) in self.boxes.iter().zip(&layout.boxes) {
                    item.draw(rect, svg);
                }
                for (at, line) in self.caption.iter().enumerate() {
                    let y = layout.size.height + 16.0 * (at as f64 + 1.0);
                    svg.words("text", &[("x", 0.0.into()), ("y", y.into()), ("class", "s".into())], line);
                    svg.newline();
                }
            });
        })
    }
}

/// A picture of a size, with a title.
pub(crate) fn picture(size: Size, title: &str, has_style: bool, draw: impl FnOnce(&mut Markup)) -> Markup {
    let mut svg = Markup::default();
    let (width, height) = (size.width.ceil(), size.height.ceil());
    let attributes: Attributes<'_, '_> = &[
        ("xmlns", "http://www.w3.org/2000/svg".into()),
        ("class", "q".into()),
        ("width", width.into()),
        ("height", height.into()),
        ("viewBox", format!("0 0 {width} {height}").into()),
        ("role", "img".into()),
        ("aria-label", title.into()),
    ];
    svg.element("svg", attributes, |svg| {
        if has_style {
            svg.style(&sheet());
        }
        svg.words("title", &[], title);
        svg.newline();
        draw(svg);
    });
    svg.newline();
    svg
}

impl Item {
    /// The rows that are shown, and how many more there are.
    fn shown(&self) -> (&[Row], usize) {
        if self.rows.len() <= MOST_ROWS {
            (&self.rows, 0)
        } else {
            (&self.rows[..MOST_ROWS - 1], self.rows.len() - MOST_ROWS + 1)
        }
    }

    fn more(more: usize) -> String {
        format!("… {more} more lines")
    }

    fn size(&self) -> Size {
        let (rows, more) = self.shown();
        let texts =
            rows.iter().map(|row| cut(&row.text, WIDEST_ROW)).chain((more > 0).then(|| Self::more(more)));
        // The title is bold, which some fonts set wider.
        let widest = texts
            .map(|text| width(&text, TEXT))
            .fold(width(&cut(&self.title, WIDEST_ROW), TEXT) * 1.04, f64::max);
        let lines = rows.len() + usize::from(more > 0);
        let below = if lines == 0 { 0.0 } else { ROW * lines as f64 + 6.0 };
        Size { width: (widest + 2.0 * PAD).max(34.0).ceil(), height: HEAD + below }
    }

    fn draw(&self, rect: &Rect, svg: &mut Markup) {
        let mut class = match self.mark {
            Mark::None => "n",
            Mark::Bad => "n bad",
            Mark::End => "n end",
            Mark::New => "n new",
            Mark::Open => "n doubt",
            Mark::Gone => "n gone",
        }
        .to_owned();
        if self.is_here {
            class.push_str(" here");
        }
        let Rect { at: Point { x, y }, size: Size { width, height } } = *rect;
        svg.element("g", &[("class", class.into()), ("data-key", (&self.key).into())], |svg| {
            let corner = if self.mark == Mark::Bad { 0.0 } else { 5.0 };
            if self.is_first {
                frame(svg, "first", [x - 3.0, y - 3.0, width + 6.0, height + 6.0], corner + 3.0);
            }
            frame(svg, "box", [x, y, width, height], corner);
            let (rows, more) = self.shown();
            if !rows.is_empty() {
                frame(svg, "top", [x + 1.0, y + 1.0, width - 2.0, HEAD - 2.0], (corner - 1.0).max(0.0));
            }
            line(svg, "h", [x + PAD, y + 14.5], &self.title, WIDEST_ROW);
            let mut at = y + HEAD + 3.0;
            for row in rows {
                if row.is_changed {
                    frame(svg, "changed", [x + 2.0, at, width - 4.0, ROW], 2.0);
                }
                line(svg, row.tone.class(), [x + PAD, at + 12.0], &row.text, WIDEST_ROW);
                at += ROW;
            }
            if more > 0 {
                line(svg, "s", [x + PAD, at + 12.0], &Self::more(more), WIDEST_ROW);
            }
        });
        svg.newline();
    }
}

fn frame(svg: &mut Markup, class: &'static str, [x, y, width, height]: [f64; 4], corner: f64) {
    let attributes: Attributes<'_, '_> = &[
        ("class", class.into()),
        ("x", x.into()),
        ("y", y.into()),
        ("width", width.into()),
        ("height", height.into()),
        ("rx", corner.into()),
    ];
    svg.empty("rect", attributes);
}

/// A line of text. If it is cut, its whole is its title.
pub(crate) fn line(svg: &mut Markup, class: &'static str, [x, y]: [f64; 2], text: &str, room: usize) {
    let shown = cut(text, room);
    let mut attributes: Vec<(&'static str, Value<'_>)> = vec![("x", x.into()), ("y", y.into())];
    if !class.is_empty() {
        attributes.push(("class", class.into()));
    }
    svg.element("text", &attributes, |svg| {
        if shown.ends_with('…') && shown != text {
            svg.words("title", &[], text);
        }
        svg.text(&shown);
    });
}

impl Connection {
    fn shown(&self) -> Vec<String> {
        let cut = |text: &String| cut(text, WIDEST_LABEL);
        if self.label.len() <= MOST_LABELS {
            return self.label.iter().map(cut).collect();
        }
        let (first, rest) = self.label.split_at(MOST_LABELS - 1);
        first.iter().map(cut).chain([format!("… and {} more", rest.len())]).collect()
    }

    fn room(&self, boxes: &[Item]) -> Link {
        let lines = self.shown();
        let widest = lines.iter().map(|line| width(line, SMALL)).fold(0.0, f64::max);
        let label = if lines.is_empty() {
            Size::default()
        } else {
            Size { width: (widest + 2.0 * PAD).ceil(), height: LABEL * lines.len() as f64 + 4.0 }
        };
        let (rows, _) = boxes[self.from].shown();
        let row = self.row.map(|row| row.min(rows.len().saturating_sub(1)));
        let port = row.map(|row| HEAD + 3.0 + ROW * (row as f64 + 0.5));
        Link { from: self.from, to: self.to, label, port }
    }

    fn draw(&self, route: &Route, svg: &mut Markup) {
        let class = match self.look {
            Look::Plain => "e",
            Look::Stem => "e stem",
            Look::Cycle => "e loop",
            Look::Holds => "e hold",
            Look::Wants => "e want",
        };
        svg.element("g", &[("class", class.into())], |svg| {
            let (path, tip) = curve(route);
            svg.empty("path", &[("class", "line".into()), ("d", path.into())]);
            svg.empty("path", &[("class", "tip".into()), ("d", tip.into())]);
            if self.label.len() > MOST_LABELS {
                svg.words("title", &[], &self.label.join("\n"));
            }
            for (at, text) in self.shown().iter().enumerate() {
                let Point { x, y } = route.label.at;
                let is_whole = self.label.len() <= MOST_LABELS || at + 1 < MOST_LABELS;
                let whole = self.label.get(at).filter(|_| is_whole);
                let at = [x + PAD, y + LABEL * (at as f64 + 1.0) - 2.0];
                line(svg, "s", at, whole.unwrap_or(text), WIDEST_LABEL);
            }
        });
        svg.newline();
    }
}

/// The curve through the points of a route, and the head of its arrow.
fn curve(route: &Route) -> (String, String) {
    let points = &route.points;
    let mut path = String::new();
    let pair = |path: &mut String, x: f64, y: f64| {
        number_into(x, path);
        path.push(' ');
        number_into(y, path);
    };
    let last = points.len() - 1;
    let (end, before) = (points[last], points[last - 1]);
    let back = if end.x > before.x { TIP } else { -TIP };
    for (index, point) in points.iter().enumerate() {
        // The line ends where the head of the arrow begins.
        let x = if index == last { point.x - back } else { point.x };
        if index == 0 {
            path.push('M');
            pair(&mut path, x, point.y);
            continue;
        }
        let from = points[index - 1];
        if (from.y - point.y).abs() < 0.05 {
            path.push('L');
            pair(&mut path, x, point.y);
            continue;
        }
        // A turn leaves to the right, and comes back from there.
        let into_turn = route.turns && index == 2;
        let out_of_turn = route.turns && index == 3;
        let middle = f64::midpoint(from.x, x);
        let (first, second) = if into_turn || out_of_turn {
            if into_turn {
                (point.x, (point.x, f64::midpoint(from.y, point.y)))
            } else {
                (from.x, (from.x, point.y))
            }
        } else {
            (middle, (middle, point.y))
        };
        path.push('C');
        let start_y = if out_of_turn { f64::midpoint(from.y, point.y) } else { from.y };
        pair(&mut path, first, start_y);
        path.push(' ');
        pair(&mut path, second.0, second.1);
        path.push(' ');
        pair(&mut path, x, point.y);
    }
    let mut tip = String::from("M");
    pair(&mut tip, end.x, end.y);
    path_to(&mut tip, end.x - back, end.y - 3.5);
    path_to(&mut tip, end.x - back, end.y + 3.5);
    tip.push('Z');
    (path, tip)
}

fn path_to(path: &mut String, x: f64, y: f64) {
    path.push('L');
    number_into(x, path);
    path.push(' ');
    number_into(y, path);
}
