//! Colours and fonts of all pictures and pages, in a light and in a dark form, as the reader prefers.
//!
//! No meaning is told by colour alone: marks have words or shapes as well. Text has a contrast of at least 4.5 to what it
//! is written on, which a test computes.

use std::fmt::Write as _;

use crate::markup::Sheet;

/// A colour by what it is for: its name, and how it looks on light and on dark.
struct Colour {
    name: &'static str,
    light: u32,
    dark: u32,
}

const fn colour(name: &'static str, light: u32, dark: u32) -> Colour {
    Colour { name, light, dark }
}

const COLOURS: [Colour; 16] = [
    colour("paper", 0xff_ff_ff, 0x0e_13_19),
    colour("card", 0xf4_f6_f9, 0x18_1f_28),
    colour("head", 0xe3_e8_ef, 0x25_2f_3b),
    colour("edge", 0x6b_76_84, 0x8a_96_a5),
    colour("faint", 0xcf_d6_de, 0x34_3f_4c),
    colour("ink", 0x17_1c_22, 0xe8_ed_f3),
    colour("quiet", 0x4d_57_63, 0xa9_b4_c1),
    colour("bad", 0xa6_12_25, 0xff_9b_95),
    colour("good", 0x12_60_2b, 0x62_d6_80),
    colour("doubt", 0x78_4b_00, 0xe9_b9_4c),
    colour("link", 0x07_4f_a8, 0x84_c1_ff),
    colour("cycle", 0x6b_35_b3, 0xd0_a9_ff),
    colour("bad-card", 0xfd_e9_ea, 0x3a_1b_1f),
    colour("good-card", 0xe2_f5_e7, 0x14_30_1d),
    colour("new-card", 0xdd_ee_ff, 0x14_2c_46),
    colour("doubt-card", 0xfd_f1_d7, 0x36_2a_0f),
];

/// How large text is in boxes, and at links.
pub const TEXT: f64 = 12.0;
pub const SMALL: f64 = 11.0;

const RULES: &str = "\
svg.q{background:var(--paper);font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace}\
.q text{fill:var(--ink);white-space:pre}\
.q .s{font-size:11px;fill:var(--quiet)}\
.q .h{font-weight:bold}\
.q .o{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}\
.q .box{fill:var(--card);stroke:var(--edge)}\
.q .top{fill:var(--head)}\
.q .end .box{fill:var(--good-card);stroke:var(--good)}\
.q .bad .box{fill:var(--bad-card);stroke:var(--bad);stroke-width:2}\
.q .bad .top,.q .end .top,.q .new .top,.q .doubt .top{fill:none}\
.q .new .box{fill:var(--new-card);stroke:var(--link)}\
.q .doubt .box{stroke-dasharray:5 3}\
.q .gone .box{stroke-dasharray:2 3}\
.q .here .box{stroke:var(--link);stroke-width:3}\
.q .first{fill:none;stroke:var(--edge)}\
.q .changed{fill:var(--new-card)}\
.q .removed{fill:var(--bad-card)}\
.q .line{fill:none;stroke:var(--edge);stroke-width:1.2}\
.q .tip{fill:var(--edge)}\
.q .stem .line{stroke:var(--ink);stroke-width:2.2}.q .stem .tip{fill:var(--ink)}\
.q .loop .line{stroke:var(--cycle);stroke-width:2.6}.q .loop .tip{fill:var(--cycle)}.q .loop text{fill:var(--cycle)}\
.q .hold .line{stroke:var(--good);stroke-width:2}.q .hold .tip{fill:var(--good)}.q .hold text{fill:var(--good)}\
.q .want .line{stroke:var(--bad);stroke-width:2;stroke-dasharray:6 3}.q .want .tip{fill:var(--bad)}\
.q .want text,.q .t-bad{fill:var(--bad)}.q .t-good{fill:var(--good)}.q .t-doubt{fill:var(--doubt)}\
.q .t-loop{fill:var(--cycle)}.q .t-link{fill:var(--link)}\
.q .life{stroke:var(--faint);stroke-width:1.5}\
.q .dot{fill:var(--edge)}.q .dot-bad{fill:var(--bad)}\
.q .band{fill:var(--new-card)}.q .band-bad{fill:var(--bad-card)}.q .stripe{fill:var(--card)}\
.q .run{stroke:var(--link);stroke-width:2;fill:none}.q .area{fill:var(--new-card)}\
.q .mark-loop{fill:none;stroke:var(--cycle);stroke-width:2}\
";

/// The style sheet of pictures.
pub fn sheet() -> Sheet {
    let mut out = String::from(":root{color-scheme:light dark;");
    let list = |out: &mut String, of: fn(&Colour) -> u32| {
        for colour in &COLOURS {
            _ = write!(out, "--{}:#{:06x};", colour.name, of(colour));
        }
    };
    list(&mut out, |colour| colour.light);
    out.push_str("}@media(prefers-color-scheme:dark){:root{");
    list(&mut out, |colour| colour.dark);
    out.push_str("}}");
    out.push_str(RULES);
    Sheet(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours, by the Web Content Accessibility Guidelines 2.2.
    fn contrast(a: u32, b: u32) -> f64 {
        let luminance = |colour: u32| {
            let part = |shift: u32| {
                let value = f64::from(colour >> shift & 0xff) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn contrasts_are_those_of_the_guidelines() {
        assert!((contrast(0, 0xff_ff_ff) - 21.0).abs() < 0.01);
        assert!((contrast(0x77_77_77, 0xff_ff_ff) - 4.48).abs() < 0.01);
    }

    #[test]
    fn text_can_be_read() {
        let of = |name: &str| COLOURS.iter().find(|colour| colour.name == name).expect("a colour");
        let texts = ["ink", "quiet", "bad", "good", "doubt", "link", "cycle"];
        let grounds = ["paper", "card", "head", "bad-card", "good-card", "new-card", "doubt-card"];
        for text in texts {
            for ground in grounds {
                let (text, ground) = (of(text), of(ground));
                for (a, b) in [(text.light, ground.light), (text.dark, ground.dark)] {
                    let contrast = contrast(a, b);
                    assert!(contrast >= 4.5, "{} on {}: {contrast:.2}", text.name, ground.name);
                }
            }
        }
        // Lines and borders.
        for ground in ["paper", "card"] {
            let (edge, ground) = (of("edge"), of(ground));
            assert!(contrast(edge.light, ground.light) >= 3.0 && contrast(edge.dark, ground.dark) >= 3.0);
        }
    }

    #[test]
    fn every_colour_is_used_and_known() {
        for Colour { name, .. } in COLOURS {
            let used = RULES.contains(&format!("var(--{name})"));
            assert!(used || name == "doubt-card", "{name}");
        }
        for part in RULES.split("var(--").skip(1) {
            let name = part.split(')').next().unwrap_or_default();
            assert!(COLOURS.iter().any(|colour| colour.name == name), "{name}");
        }
    }
}
