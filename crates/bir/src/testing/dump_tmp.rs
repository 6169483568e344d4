#[test]
fn dump() {
    for seed in 0..40 {
        std::fs::write(format!("/tmp/dumpx/{seed}.bir"), super::random_model(seed)).unwrap();
    }
}
