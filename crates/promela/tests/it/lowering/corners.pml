/* Corners of control flow: escapes in escapes, jumps into and out of atomic blocks, declarations between statements,
   loops that are written out, labels on everything. */
typedef Message { byte kind; short load[2] };

byte a, b, c;
chan q = [2] of { byte };
chan r = [0] of { byte };
chan box = [2] of { Message };
bit flags[3];

inline swap(v, w) {
  byte other;
  other = v;
  v = w;
  w = other
}

proctype Escapes() {
  byte x;
  {
    { a < 3 -> a++; x = a; b = x } unless { b == 2 -> c++; x = c };
    do
    :: a > 0 -> a--
    :: a == 0 -> break
    od
  } unless { c == 1 -> b = 0; skip };
  atomic { b = 1; q!1; c = 3 } unless { q?[1] -> q?_ };
  main: { a = 1; r!2 } unless { atomic { b = 2; a = 2 }; c = 4 };
  do
  :: q?x
  :: { a = 3; a = 4 } unless { c == 4 }
  :: break
  od unless { b == 9 -> goto main }
}

proctype Jumps() {
  byte y, z;
  start: atomic {
    r?y;
    if
    :: y == 1 -> goto out
    :: y == 2 -> z = 5; goto inside
    :: else
    fi;
    inside: z = 1;
    z = 2
  };
  if
  :: goto start
  :: skip; skip; skip; goto out
  :: { skip; z = 3 }
  :: atomic { z == 4 -> goto other }
  fi;
  out: skip;
  atomic { goto other; other: z = 8; do :: z > 0 -> z-- :: else -> break od };
  end: do
  :: d_step { y < 3 -> y++; if :: y == 2 -> z = 1 :: else fi }
  :: atomic { y == 3 -> d_step { y = 0; z = 0 }; c = 5 }
  :: do :: c > 5 -> c-- :: c <= 5 -> goto end2 od
  od;
  end2: q!z
}

proctype Declares() {
  byte i = 3, j;
  Message m;
  i = 4;
  { short k = i; int l; k = l; byte many[2]; many[1] = k };
  if :: byte late; late = 1 :: late = 2 fi;
  swap(i, j);
  for (i : 1 .. 3) { swap(i, j); if :: i == 2 -> break :: else fi };
  for (i in flags) { flags[i] = 1 };
  for (m in box) { j = m.kind };
  select (i : 1 .. 4);
  select (j : i .. 7);
  progress1: goto last;
  j = 9;
  last: skip
}

init {
  atomic { run Escapes(); run Jumps(); run Declares() };
  endhere: (c == 77)
}
