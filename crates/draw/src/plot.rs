//! Plots of a number that goes with another one: states of each level, memory over states.

use crate::diagram::picture;
use crate::layered::Size;
use crate::look::SMALL;
use crate::markup::{Markup, number_into};
use crate::text::width;

/// A plot.
#[derive(Clone, Default, Debug)]
pub struct Plot {
    pub title: String,
    /// What the numbers to the right and upwards are.
    pub across: String,
    pub up: String,
    /// Points from left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 150.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 36.0;
/// A line has at most this many points: those between are left out, the greatest of each part is kept.
const MOST_POINTS: usize = 400;

impl Plot {
    pub fn svg(&self) -> Markup {
        self.write(true)
    }

    pub fn part(&self) -> Markup {
        self.write(false)
    }

    fn write(&self, has_style: bool) -> Markup {
        let points = thinned(&self.points);
        let greatest = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(0.0, f64::max);
        let (right, top) = (nice(greatest(|point| point.0)), nice(greatest(|point| point.1)));
        let labels = [0.0, top / 2.0, top].map(short);
        let left = labels.iter().map(|label| width(label, SMALL)).fold(0.0, f64::max) + 12.0;
        let size = Size { width: left + WIDTH + 24.0, height: TOP + HEIGHT + BOTTOM };
        let x = |value: f64| left + value / right * WIDTH;
        let y = |value: f64| TOP + HEIGHT - value / top * HEIGHT;
        picture(size, &self.title, has_style, |svg| {
            svg.words("text", &[("class", "s".into()), ("x", left.into()), ("y", 14.0.into())], &self.up);
            for (value, label) in [0.0, top / 2.0, top].into_iter().zip(&labels) {
                let line = [("class", "life".into()), ("x1", left.into()), ("x2", (left + WIDTH).into())];
                let line = [&line[..], &[("y1", y(value).into()), ("y2", y(value).into())]].concat();
                svg.empty("line", &line);
                let at = left - 6.0 - width(label, SMALL);
                let at = [("class", "s".into()), ("x", at.into()), ("y", (y(value) + 4.0).into())];
                svg.words("text", &at, label);
            }
            for value in [0.0, right / 2.0, right] {
                let label = short(value);
                let at = x(value) - width(&label, SMALL) / 2.0;
                let at = [("class", "s".into()), ("x", at.into()), ("y", (TOP + HEIGHT + 15.0).into())];
                svg.words("text", &at, &label);
            }
            let at = left + (WIDTH - width(&self.across, SMALL)) / 2.0;
            let at = [("class", "s".into()), ("x", at.into()), ("y", (TOP + HEIGHT + 30.0).into())];
            svg.words("text", &at, &self.across);
            if points.is_empty() {
                return;
            }
            let mut path = String::new();
            for (index, &(at, value)) in points.iter().enumerate() {
                path.push(if index == 0 { 'M' } else { 'L' });
                number_into(x(at), &mut path);
                path.push(' ');
                number_into(y(value), &mut path);
            }
            let mut area = path.clone();
            for end in [points[points.len() - 1].0, points[0].0] {
                area.push('L');
                number_into(x(end), &mut area);
                area.push(' ');
                number_into(y(0.0), &mut area);
            }
            svg.empty("path", &[("class", "area".into()), ("d", (area + "Z").into())]);
            svg.empty("path", &[("class", "run".into()), ("d", path.into())]);
        })
    }
}

fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let part = points.len().div_ceil(MOST_POINTS).max(1);
    let greatest = |part: &[(f64, f64)]| part.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    points.chunks(part).filter_map(greatest).collect()
}

/// The least number of the form 1, 2 or 5 times a power of ten that is not less.
fn nice(value: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 < value {
        power *= 10.0;
    }
    let steps = [1.0, 2.0, 4.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|&step| step >= value).unwrap_or(power * 10.0)
}

/// A number in a few characters.
fn short(value: f64) -> String {
    for (size, unit) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= size {
            let mut out = String::new();
            number_into(value / size, &mut out);
            return out + unit;
        }
    }
    let mut out = String::new();
    number_into(value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (greatest, end) in
            [(0.0, 1), (1.0, 1), (3.0, 4), (7.0, 10), (11.0, 20), (45.0, 50), (123.0, 200), (1001.0, 2000)]
        {
            assert_eq!(nice(greatest) as u32, end);
        }
        assert_eq!([0.0, 2.5, 999.0, 1500.0, 2e6, 4e9].map(short), ["0", "2.5", "999", "1.5k", "2M", "4G"]);
    }

    #[test]
    fn long_lines_keep_their_peaks() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|at| (f64::from(at), 1.0)).collect();
        points[77_777].1 = 9.0;
        let thin = thinned(&points);
        assert!(thin.len() <= MOST_POINTS && thin.contains(&(77_777.0, 9.0)));
    }
}
