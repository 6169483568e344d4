// The factorial of N, computed by a process for each call. A caller makes a channel of its own, starts a
// process for the number below, multiplies what that sends, and ends after it. Nobody else is concerned: in
// whatever order processes answer, take answers and end, the result is the same, and reduction leaves one order.
//
// verdict: holds
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
    caller!n * value
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
