//! Pictures of states, runs and state graphs, as SVG.
//!
//! Plain data goes in, a picture comes out: nothing here knows what a model is, and nothing is read or written. The same
//! input gives the same bytes.
//!
//! - [`diagram`]: boxes and links, laid out by [`layered`]. [`graph`] and [`scene`] make diagrams of state graphs and of
//!   the objects of a state.
//! - [`chart`]: runs, with a column for each thread; and a whole run in one look.
//! - [`plot`]: numbers over numbers.
//! - [`markup`]: SVG and HTML into which text of a model can be put, and never becomes markup.
//! - [`look`]: colours and fonts, light and dark.

pub mod chart;
pub mod diagram;
pub mod graph;
pub mod layered;
pub mod look;
pub mod markup;
pub mod plot;
pub mod scene;
pub mod text;

pub use markup::Markup;
