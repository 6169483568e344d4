// The factorial of N by processes, as in factorial.pml.
// Planted: a caller passes on what it was sent, and forgets its own number.
//
// verdict: violated assertion
// states: 76
// transitions: 118
#ifndef N
#define N 6
#endif
#ifndef VALUE
#define VALUE 720
#endif

proctype Factorial(byte n; chan caller) {
  chan answer = [1] of { int };
  int value;
  if
  :: n <= 1 -> caller!1
  :: else ->
    run Factorial(n - 1, answer);
    answer?value;
    caller!value
  fi
}

init {
  chan answer = [1] of { int };
  int value;
  run Factorial(N, answer);
  answer?value;
  assert(value == VALUE);
  _nr_pr == 1
}
