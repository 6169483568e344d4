#!/usr/bin/env bash
# Dining philosophers, Quotient against SPIN, in one run on one machine.
#
#   benches/spin.sh [N] [REPETITIONS]
#
# Both explore all states of the same graph without reduction: ours from models/philosophers.bir, with forks as
# heap objects, SPIN's from benches/philosophers.pml, with forks as booleans. Runs alternate, medians count.
# Needs spin and gcc (Debian: apt-get install spin gcc).
set -euo pipefail
cd "$(dirname "$0")/.."
n=${1:-10}
repetitions=${2:-5}

for tool in spin gcc cargo; do
    command -v "$tool" >/dev/null || { echo "benches/spin.sh needs $tool" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build --release --quiet -p quotient-cli
quotient=${CARGO_TARGET_DIR:-target}/release/quotient
model=$PWD/benches/philosophers.pml
(
    cd "$work"
    spin -a -o3 -DN="$n" "$model" >/dev/null
    gcc -O2 -DNOREDUCE -DSAFETY -o pan pan.c
)

# Writes: states transitions seconds bytes-a-state
ours() {
    "$quotient" check models/philosophers.bir -D N="$n" --search "$1" --symmetry none --por off --merge off \
        --continue --format json --trail "$work/trail.json" >"$work/report.json" || true
    value() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$work/report.json" | head -n 1; }
    echo "$(value states) $(value transitions) $(value seconds) $(value bytes_per_state)"
}
# SPIN's clock has two digits: use an N at which it takes long enough.
spins() {
    (cd "$work" && ./pan -m2000000 -c0 -E >"$work/pan.out" 2>&1) || true
    awk '/states, stored/ { states = $1 } /transitions \(/ { transitions = $1 } /elapsed time/ { seconds = $4 }
         /state-vector as stored/ { bytes = $5 + $8 }
         END { print states, transitions, seconds, bytes ? bytes : "-" }' "$work/pan.out"
}

for ((i = 0; i < repetitions; i++)); do
    ours dfs >>"$work/ours.dfs"
    spins >>"$work/spin"
    ours bfs >>"$work/ours.bfs"
    spins >>"$work/spin"
done

median() { sort -g -k3,3 "$1" | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'; }
echo "Dining philosophers, N = $n, no reduction, median of $repetitions"
echo
echo "| search | tool | states | transitions | seconds | transitions/s | bytes a state | ratio |"
echo "|---|---|---|---|---|---|---|---|"
read -r spin_states spin_transitions spin_seconds spin_bytes <<<"$(median "$work/spin")"
printf '| dfs | spin | %d | %d | %.2f | %.0f | %s | |\n' "$spin_states" "$spin_transitions" "$spin_seconds" \
    "$(awk "BEGIN { print $spin_transitions / $spin_seconds }")" "$spin_bytes"
for search in dfs bfs; do
    read -r states transitions seconds bytes <<<"$(median "$work/ours.$search")"
    awk -v s="$search" -v a="$states" -v b="$transitions" -v c="$seconds" -v d="$bytes" \
        -v A="$spin_states" -v B="$spin_transitions" -v C="$spin_seconds" 'BEGIN {
        ratio = a == A ? sprintf("%.2f", (b / c) / (B / C)) : "states differ"
        printf "| %s | quotient | %d | %d | %.3f | %.0f | %.1f | %s |\n", s, a, b, c, b / c, d, ratio
    }'
done
