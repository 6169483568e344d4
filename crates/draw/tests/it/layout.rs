//! What holds for every layout, on random graphs.

use bits::SplitMix64;
use quotient_draw::layered::{Input, Layout, Link, Point, Rect, Route, Size, layout};

struct Graph {
    boxes: Vec<Size>,
    links: Vec<Link>,
    columns: Option<Vec<u32>>,
}

impl Graph {
    fn random(random: &mut SplitMix64) -> Self {
        let count = 1 + random.below(24);
        let size = |random: &mut SplitMix64| Size {
            width: 20.0 + random.below(120) as f64,
            height: 20.0 + random.below(90) as f64,
        };
        let boxes: Vec<Size> = (0..count).map(|_| size(random)).collect();
        let link = |random: &mut SplitMix64| {
            let from = random.below(count);
            let is_labelled = random.chance(60);
            let label = if is_labelled { size(random) } else { Size::default() };
            let port = random.chance(30).then(|| random.below(boxes[from].height as usize) as f64);
            Link { from, to: random.below(count), label, port }
        };
        let links = (0..random.below(2 * count)).map(|_| link(random)).collect();
        let columns = random.chance(50).then(|| (0..count).map(|_| random.below(6) as u32 * 2).collect());
        Self { boxes, links, columns }
    }

    fn layout(&self) -> Layout {
        layout(&Input { boxes: &self.boxes, links: &self.links, columns: self.columns.as_deref() })
    }
}

/// Points of a route, close to each other: curves are monotone between their ends, so they stay in the rectangle of them.
fn pieces(route: &Route) -> Vec<(Point, Point)> {
    route.points.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Whether a piece goes through the inside of a rectangle. A curve between columns can be anywhere between its ends.
fn passes(rect: &Rect, (a, b): (Point, Point)) -> bool {
    let (left, right) = (a.x.min(b.x), a.x.max(b.x));
    let (top, bottom) = (a.y.min(b.y), a.y.max(b.y));
    let inside = 0.01;
    left < rect.right() - inside
        && right > rect.at.x + inside
        && top < rect.bottom() - inside
        && bottom > rect.at.y + inside
}

fn check(graph: &Graph) {
    let layout = graph.layout();
    let labels = layout.routes.iter().map(|route| route.label);
    let rects: Vec<Rect> = layout.boxes.iter().copied().chain(labels).collect();
    for (index, rect) in rects.iter().enumerate() {
        for other in &rects[index + 1..] {
            assert!(!rect.overlaps(other), "{rect:?} {other:?}");
        }
        assert!(rect.at.x >= -0.01 && rect.at.y >= -0.01, "{rect:?}");
        let is_inside =
            rect.right() <= layout.size.width + 0.01 && rect.bottom() <= layout.size.height + 0.01;
        assert!(is_inside, "{rect:?} {:?}", layout.size);
    }
    for (size, rect) in graph.boxes.iter().zip(&layout.boxes) {
        assert_eq!(*size, rect.size);
    }
    for (link, route) in graph.links.iter().zip(&layout.routes) {
        let ends = [(link.from, route.points[0]), (link.to, route.points[route.points.len() - 1])];
        for (index, point) in ends {
            let rect = layout.boxes[index];
            let on_side = (point.x - rect.at.x).abs() < 0.01 || (point.x - rect.right()).abs() < 0.01;
            let in_height = point.y >= rect.at.y - 0.01 && point.y <= rect.bottom() + 0.01;
            assert!(on_side && in_height, "{point:?} {rect:?}");
        }
        for piece in pieces(route) {
            for (index, rect) in layout.boxes.iter().enumerate() {
                assert!(!passes(rect, piece), "{link:?} passes over box {index}: {piece:?} {rect:?}");
            }
        }
        assert_eq!(route.label.size, link.label);
    }
}

#[test]
fn nothing_overlaps_and_links_go_from_border_to_border() {
    let mut random = SplitMix64::new(1);
    for _ in 0..1500 {
        check(&Graph::random(&mut random));
    }
}

#[test]
fn the_same_graph_gives_the_same_layout() {
    let mut random = SplitMix64::new(2);
    for _ in 0..100 {
        let graph = Graph::random(&mut random);
        assert_eq!(graph.layout(), graph.layout());
    }
}

#[test]
fn nothing_is_laid_out_as_nothing() {
    let layout = layout(&Input::default());
    assert_eq!((layout.boxes.len(), layout.routes.len()), (0, 0));
    assert!(layout.size.width >= 0.0 && layout.size.height.is_finite());
}

/// Long lines are straight: a link over many columns, with nothing in its way, has one height behind its start.
#[test]
fn long_links_are_straight() {
    let count = 12;
    let boxes = vec![Size { width: 40.0, height: 20.0 }; count];
    let mut links: Vec<Link> = (1..count).map(|to| Link { from: to - 1, to, ..Link::default() }).collect();
    links.push(Link { from: 0, to: count - 1, ..Link::default() });
    let layout = layout(&Input { boxes: &boxes, links: &links, columns: None });
    // Both ends are in the middle of the two ways between them.
    let chain: Vec<f64> = layout.boxes[1..count - 1].iter().map(|rect| rect.at.y).collect();
    assert!(chain.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.01), "{chain:?}");
    let long = &layout.routes[count - 1].points;
    let inner: Vec<f64> = long[3..long.len() - 2].iter().map(|point| point.y).collect();
    assert!(inner.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.01), "{inner:?}");
}
