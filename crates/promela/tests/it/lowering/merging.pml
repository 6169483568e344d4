// Which statements SPIN merges, one corner after the other.
byte g;
chan c = [2] of { byte };
chan mine = [2] of { byte };
typedef Pair { byte a; byte b[2] }

proctype Child(byte z) {
  byte q;
start:
  q = z;
  q = 2;
asked:
  (q == 2);
  q = 3;
end_here:
  (q == 3);
  q = 4
}

proctype Parent() {
  chan own = [1] of { byte };
  own!1
}

active proctype Straight() {
  byte x, y, list[3];
  Pair r;
  x = 1; y = 2; g = 3;
  printf("%d", x); assert(x == 1); x = 4; g = 5;
  printf("%d", g); x = 5; y = 6;
  skip; x = 6; y = 7; skip; y = 8; g = 6;
  (x == 5); y = 9; (y == 9); x = 10;
  list[x] = y; r.b[x] = r.a; list[g] = 1; x = _pid; g = 7;
  x = _nr_pr; x = len(c); y = (x -> 1 : 2); y = (g -> 1 : 2); y = 1
}

active proctype Branches() {
  byte x, y;
  if
  :: x == 3 -> y = 1; x = 2
  :: x = 4; y = 2
  :: else -> y = 3; x = 5
  fi;
  y = 4;
  do
  :: x < 4 -> x++; y++
  :: x = 1; y = 1; break
  :: g == 2 -> goto out
  od;
  y = 5; x = 6;
  { x = 7; y = 8 };
  x = 9;
  if :: x = 10 fi;
  y = 10;
  { x = 1; y = 2 } unless { g == 1; x = 3; y = 4 };
  x = 5;
out:
  y = 6;
  x = 7
}

active proctype Blocks() {
  byte x, y;
  x = 1;
  atomic { x = 2; g = 1; g = 2; y = 3 };
  x = 4; y = 5;
  atomic { g = 1; if :: g == 1 -> y = 4; g = 2 :: g = 7; g = 8 :: else -> g = 9; g = 10 fi; g = 11 };
  y = 6;
  atomic { do :: g = 1; g = 2; break od };
  x = 7;
  d_step { x = 8; y = 9 };
  y = 10;
  atomic { c?x; g = x; y = x; c!y; g = 1; run Child(1); run Child(2); g = 2 };
  x = 11
}

active proctype Claims() {
  xr mine;
  xs mine;
  byte x, y;
  pid p;
  mine!x; y = 1; x = 2;
  mine?x; y = 3;
  mine!g; y = 4;
  mine?g; y = 5;
  nempty(mine); x = 1; g = 1;
  len(mine) == 1; x = 2; g = 1;
  x = len(mine); x = 3; g = 1;
  y = nfull(mine); x = 3;
  c!x; y = 6;
  x = 4; p = run Child(3); y = 7;
  g = 1;
  x = 5; p = run Parent(); y = 8;
  Child[1]@asked; y = 9
}
