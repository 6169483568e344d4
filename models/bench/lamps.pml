// A row of 19 lamps in one number. Every switch turns three neighbours over, at the ends two; so all 2^19
// patterns can be reached, from each of them 19 others in one step. A single process and the smallest of
// vectors.
//
// verdict: holds
// states: 524288
// transitions: 9961473
int lamps;

active proctype Hand() {
  do
  :: lamps = lamps ^ 3
  :: lamps = lamps ^ 7
  :: lamps = lamps ^ (7 << 1)
  :: lamps = lamps ^ (7 << 2)
  :: lamps = lamps ^ (7 << 3)
  :: lamps = lamps ^ (7 << 4)
  :: lamps = lamps ^ (7 << 5)
  :: lamps = lamps ^ (7 << 6)
  :: lamps = lamps ^ (7 << 7)
  :: lamps = lamps ^ (7 << 8)
  :: lamps = lamps ^ (7 << 9)
  :: lamps = lamps ^ (7 << 10)
  :: lamps = lamps ^ (7 << 11)
  :: lamps = lamps ^ (7 << 12)
  :: lamps = lamps ^ (7 << 13)
  :: lamps = lamps ^ (7 << 14)
  :: lamps = lamps ^ (7 << 15)
  :: lamps = lamps ^ (7 << 16)
  :: lamps = lamps ^ (3 << 17)
  od
}
