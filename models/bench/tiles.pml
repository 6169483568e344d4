// The sliding puzzle: WIDTH times HEIGHT places, one of which is empty, and tiles that slide into it. A
// single process, one small array: half of all orders can be reached, here 10! / 2,
// and one state is before the tiles are laid.
//
// verdict: holds
// states: 1814401
// transitions: 4717442
#ifndef WIDTH
#define WIDTH 5
#endif
#ifndef HEIGHT
#define HEIGHT 2
#endif
#define PLACES (WIDTH * HEIGHT)

byte tile[PLACES]; // 0: none
byte gap;

inline slide(from) {
  tile[gap] = tile[from];
  tile[from] = 0;
  gap = from
}

init {
  d_step {
    do
    :: gap < PLACES - 1 ->
       tile[gap] = gap + 1;
       gap++
    :: else -> break
    od
  }
  do
  :: d_step { gap % WIDTH > 0 -> slide(gap - 1) }
  :: d_step { gap % WIDTH < WIDTH - 1 -> slide(gap + 1) }
  :: d_step { gap >= WIDTH -> slide(gap - WIDTH) }
  :: d_step { gap < PLACES - WIDTH -> slide(gap + WIDTH) }
  od
}
