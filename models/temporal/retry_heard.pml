// A sender that tries again until it is heard, on a wire that loses nothing twice in a row.
//
// verdict: holds
// states: 19
// transitions: 27
// property accept: violated
// property progress: holds
chan wire = [1] of { bit };
chan back = [1] of { bit };

active proctype Sender() {
  do
  :: wire!1;
     if
     :: back?1 ->
progress:
        skip
     :: timeout ->
accept_again:
        skip
     fi
  od
}

active proctype Wire() {
  bit lost;
  do
  :: wire?1 ->
     if
     :: back!1 -> lost = 0
     :: lost == 0 -> lost = 1
     fi
  od
}
