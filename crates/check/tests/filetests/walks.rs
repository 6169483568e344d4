//! Random walks through the models, forth and back.

use crate::common::walk::walk;
use crate::oracle::Case;

const WALKS: u64 = 3;
const STEPS: usize = 150;

pub fn there_and_back(case: &Case) -> Result<(), String> {
    let model = case.model()?;
    let engine =
        quotient_check::engine(&model, case.header.options.bounds).map_err(|error| format!("{error:?}"))?;
    let mut fired = 0;
    for seed in 0..WALKS {
        fired += walk(&engine, seed, STEPS);
    }
    if fired == 0 {
        return Err("no step could be taken".to_owned());
    }
    Ok(())
}
