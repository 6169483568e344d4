// A sender that tries again until it is heard, on a wire that may lose whatever it carries. It can go on like that for
// ever, which the label says is not what we want.
//
// verdict: holds
// states: 6
// transitions: 8
// property accept: violated
// property accept under weak fairness: violated
// property progress: violated
// property progress under weak fairness: violated
chan wire = [1] of { bit };
chan back = [1] of { bit };

active proctype Sender() {
  do
  :: wire!1;
     if
     :: back?1
     :: timeout ->
accept_again:
        skip
     fi
  od
}

active proctype Wire() {
  do
  :: wire?1 ->
     if
     :: back!1
     :: true
     fi
  od
}
