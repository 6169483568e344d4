// The Fibonacci number of N by processes, as in fibonacci.pml.
// Planted: the second process sends its result to the caller of its caller.
//
// verdict: violated assertion, deadlock
// states: 977
// transitions: 2843
#ifndef N
#define N 3
#endif
#ifndef VALUE
#define VALUE 2
#endif

proctype Fibonacci(byte n; chan caller) {
  chan results = [2] of { byte };
  byte a, b;
  if
  :: n < 2 -> caller!n
  :: else ->
     run Fibonacci(n - 1, results);
     run Fibonacci(n - 2, caller);
     results?a;
     results?b;
     caller!a + b
  fi
}

init {
  chan result = [1] of { byte };
  byte value;
  pid first;
  first = run Fibonacci(N, result);
  assert(first == 1);
  result?value;
  assert(value == VALUE);
  _nr_pr == 1
}
