#include "lib.h"
#define MAX(a) (a > 3) \
  && true
#ifdef FAST /* no */
mtype = { ping, pong }
typedef R { byte n; unsigned u : 4 }
chan q = [2] of { mtype, byte };
active [2] proctype P(byte a; chan c) provided (x > 1) {
again: if
  :: q!ping,3 -> goto again
  :: q?pong(eval(_pid)) -> x++
  :: (x == 1 && !y) -> printf("x = %d\n", x) // done
  :: else -> skip
  fi;
  do :: atomic { x = 'a' } :: break od unless { timeout };
  end: run P(1, q); r.n = len(q)
}
function push(Node& n) { Node& m = new Node; delete n; m = null }
ltl safe { [] (P@again -> <> (x == 1)) }
never claim { do :: np_ od }
init { atomic { run P(1, q) } }
