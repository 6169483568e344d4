//! A layered layout (Sugiyama, Tagawa and Toda 1981): boxes in columns from left to right, connected by curves.
//!
//! 1. *Columns.* Given, or the longest path to each box. Cycles are broken by depth-first search first.
//! 2. *Vertices.* Boxes are in every other column. In the columns between, and in all columns that a link passes, the
//!    link has a vertex of its own, so that it has room there: for its label in the column next to where it starts, for a
//!    line elsewhere. Links go from any column to any other: to the left as well, and to the same one, by a turn in the
//!    next column.
//! 3. *Order* in the columns (`order`): barycentres and transpositions, few crossings.
//! 4. *Coordinates* (`place`): links that pass many columns are straight (Brandes and Köpf 2001).
//!
//! What holds, and is tested: boxes and labels do not overlap; a link begins and ends at the borders of its boxes and
//! passes over no box; the same input gives the same picture. All is decided by the order of the input, never by hashes.
//! The columns go from left to right, since text is wide: labels of links are written side by side in most drawings, and
//! here one below the other.

mod order;
mod place;
mod ranks;

use order::Order;

/// How much room something takes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A place in the picture.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// The left upper corner of something, and its size.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rect {
    pub at: Point,
    pub size: Size,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.at.x + self.size.width
    }

    pub fn bottom(&self) -> f64 {
        self.at.y + self.size.height
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        let apart = self.right() <= other.at.x
            || other.right() <= self.at.x
            || self.bottom() <= other.at.y
            || other.bottom() <= self.at.y;
        !apart
            && self.size.width > 0.0
            && self.size.height > 0.0
            && other.size.width > 0.0
            && other.size.height > 0.0
    }
}

/// A connection of two boxes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    /// The room for what is written at it.
    pub label: Size,
    /// How far below the upper border of its box it begins, if not in the middle.
    pub port: Option<f64>,
}

/// What is to be laid out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    pub boxes: &'a [Size],
    pub links: &'a [Link],
    /// The column of each box. Columns without boxes are left out.
    pub columns: Option<&'a [u32]>,
}

/// Where everything is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    pub boxes: Vec<Rect>,
    pub routes: Vec<Route>,
    pub size: Size,
}

/// The way of a link.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Route {
    /// From the border of its first box to that of its second: a curve between each point and the next, and a straight
    /// line where both have the same height.
    pub points: Vec<Point>,
    /// The room for its label. The line is at its lower border.
    pub label: Rect,
    /// It leaves a box, turns and comes back to a box of the same column: the third of its five points is where it
    /// turns.
    pub turns: bool,
}

/// The least distance of what is in one column.
const GAP: f64 = 10.0;
/// The least and the greatest distance of columns.
const NARROW: f64 = 16.0;
const WIDE: f64 = 72.0;
/// How far the ends of a link from a box to itself are from each other.
const LOOP: f64 = 8.0;
/// How far the line of a link is above the lower end of its room.
const BELOW: f64 = 3.0;

/// What has a place in a column: a box, or the room of a link.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Vertex {
    column: usize,
    width: f64,
    /// How much room it takes above and below the line at which links meet it.
    above: f64,
    below: f64,
    is_box: bool,
}

/// The vertices, and the parts of links between neighbouring columns.
#[derive(Default, Debug)]
struct Web {
    vertices: Vec<Vertex>,
    /// The neighbours of each vertex in the column to its left and to its right.
    left: Vec<Vec<usize>>,
    right: Vec<Vec<usize>>,
    columns: usize,
}

impl Web {
    fn add(&mut self, vertex: Vertex) -> usize {
        self.columns = self.columns.max(vertex.column + 1);
        self.vertices.push(vertex);
        self.left.push(Vec::new());
        self.right.push(Vec::new());
        self.vertices.len() - 1
    }

    fn connect(&mut self, left: usize, right: usize) {
        self.right[left].push(right);
        self.left[right].push(left);
    }
}

/// Lays out a diagram.
pub fn layout(input: &Input<'_>) -> Layout {
    let ranks = ranks::ranks(input);
    let (web, ways) = web(input, &ranks);
    let order = Order::new(&web);
    let lines = place::lines(&web, &order);
    let top = web.vertices.iter().zip(&lines).map(|(vertex, line)| line - vertex.above);
    let top = top.fold(f64::INFINITY, f64::min);
    let lines: Vec<f64> = lines.iter().map(|line| if top.is_finite() { line - top } else { *line }).collect();
    let lefts = lefts(&web, &lines);
    let width_of = |column: usize| {
        let inside = web.vertices.iter().filter(|vertex| vertex.column == column);
        inside.map(|vertex| vertex.width).fold(0.0, f64::max)
    };
    let rights: Vec<f64> = lefts.iter().enumerate().map(|(column, left)| left + width_of(column)).collect();
    let boxes: Vec<Rect> = input
        .boxes
        .iter()
        .enumerate()
        .map(|(index, &size)| {
            let vertex = &web.vertices[index];
            Rect { at: Point { x: lefts[vertex.column], y: lines[index] - vertex.above }, size }
        })
        .collect();
    let room = Room { web: &web, lines: &lines, lefts: &lefts, rights: &rights, boxes: &boxes };
    let routes: Vec<Route> = input.links.iter().zip(&ways).map(|(link, way)| room.route(link, way)).collect();
    let heights = web.vertices.iter().zip(&lines).map(|(vertex, line)| line + vertex.below);
    let size =
        Size { width: rights.iter().copied().fold(0.0, f64::max), height: heights.fold(0.0, f64::max) };
    Layout { boxes, routes, size }
}

/// The vertices of a link, from its first box to its second, without the boxes.
struct Way {
    vertices: Vec<usize>,
    turns: bool,
}

/// The vertices of all boxes and links. Boxes have the first numbers.
fn web(input: &Input<'_>, ranks: &[u32]) -> (Web, Vec<Way>) {
    let mut web = Web::default();
    for (size, &rank) in input.boxes.iter().zip(ranks) {
        let half = size.height / 2.0;
        let vertex =
            Vertex { column: 2 * rank as usize, width: size.width, above: half, below: half, is_box: true };
        web.add(vertex);
    }
    let mut ways = Vec::new();
    for link in input.links {
        let column = |index: usize| 2 * ranks[index] as usize;
        let (from, to) = (column(link.from), column(link.to));
        let turns = from == to;
        let next_to_start = if from <= to { from + 1 } else { from - 1 };
        let room = |column: usize| {
            let Size { width, height } = if column == next_to_start { link.label } else { Size::default() };
            Vertex { column, width, above: height, below: BELOW, is_box: false }
        };
        let columns: Vec<usize> = match from.cmp(&to) {
            std::cmp::Ordering::Less => (from + 1..to).collect(),
            std::cmp::Ordering::Equal => vec![from + 1],
            std::cmp::Ordering::Greater => (to + 1..from).rev().collect(),
        };
        let vertices: Vec<usize> = columns.into_iter().map(|column| web.add(room(column))).collect();
        if turns {
            web.connect(link.from, vertices[0]);
            if link.to != link.from {
                web.connect(link.to, vertices[0]);
            }
        } else {
            let mut all = vec![link.from];
            all.extend(&vertices);
            all.push(link.to);
            for pair in all.windows(2) {
                let (left, right) = if from < to { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
                web.connect(left, right);
            }
        }
        ways.push(Way { vertices, turns });
    }
    (web, ways)
}

/// The left border of each column. Columns are further apart where the curves between them are steep.
fn lefts(web: &Web, lines: &[f64]) -> Vec<f64> {
    let mut widths = vec![0.0_f64; web.columns];
    let mut steepest = vec![0.0_f64; web.columns];
    for (index, vertex) in web.vertices.iter().enumerate() {
        widths[vertex.column] = widths[vertex.column].max(vertex.width);
        for &other in &web.right[index] {
            steepest[vertex.column] = steepest[vertex.column].max((lines[index] - lines[other]).abs());
        }
    }
    let mut left = 0.0;
    let mut lefts = Vec::with_capacity(web.columns);
    for (width, steepest) in widths.iter().zip(steepest) {
        lefts.push(left);
        left += width + (steepest / 5.0).clamp(NARROW, WIDE);
    }
    lefts
}

struct Room<'a> {
    web: &'a Web,
    lines: &'a [f64],
    lefts: &'a [f64],
    rights: &'a [f64],
    boxes: &'a [Rect],
}

impl Room<'_> {
    fn route(&self, link: &Link, way: &Way) -> Route {
        let (from, to) = (self.boxes[link.from], self.boxes[link.to]);
        let middle = |rect: &Rect| rect.at.y + rect.size.height / 2.0;
        let mut start = link.port.map_or_else(|| middle(&from), |port| from.at.y + port);
        let mut end = middle(&to);
        let first = way.vertices[0];
        let column = self.web.vertices[first].column;
        let label = Rect {
            at: Point { x: self.lefts[column], y: self.lines[first] - link.label.height },
            size: link.label,
        };
        if way.turns {
            if link.from == link.to {
                let borders =
                    (from.at.y + LOOP / 2.0, (from.bottom() - LOOP / 2.0).max(from.at.y + LOOP / 2.0));
                start = start.clamp(borders.0, borders.1);
                (start, end) = (start - LOOP / 2.0, start + LOOP / 2.0);
            }
            let border = self.rights[column - 1];
            let points = vec![
                Point { x: from.right(), y: start },
                Point { x: border, y: start },
                Point { x: self.lefts[column], y: self.lines[first] },
                Point { x: border, y: end },
                Point { x: to.right(), y: end },
            ];
            return Route { points, label, turns: true };
        }
        let to_the_right = self.web.vertices[link.from].column < self.web.vertices[link.to].column;
        let mut points = Vec::with_capacity(2 * way.vertices.len() + 4);
        // Boxes are narrower than their columns, and nothing else is beside them there.
        let (rights, lefts) = (self.rights, self.lefts);
        let column_of = |index: usize| self.web.vertices[index].column;
        if to_the_right {
            points.push(Point { x: from.right(), y: start });
            points.push(Point { x: rights[column_of(link.from)], y: start });
        } else {
            points.push(Point { x: from.at.x, y: start });
        }
        for &vertex in &way.vertices {
            let (near, far) = (lefts[column_of(vertex)], rights[column_of(vertex)]);
            let (near, far) = if to_the_right { (near, far) } else { (far, near) };
            points.push(Point { x: near, y: self.lines[vertex] });
            points.push(Point { x: far, y: self.lines[vertex] });
        }
        if to_the_right {
            points.push(Point { x: to.at.x, y: end });
        } else {
            points.push(Point { x: rights[column_of(link.to)], y: end });
            points.push(Point { x: to.right(), y: end });
        }
        points.dedup();
        Route { points, label, turns: false }
    }
}
