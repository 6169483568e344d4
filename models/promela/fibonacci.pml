// The Fibonacci number of N, computed by a process for each call. A caller makes a channel of its own, starts
// a process for each of the two lesser numbers, and adds up what they send. Processes end in the reverse
// order of their creation; in the end only the first one is left.
//
// verdict: holds
// states: 1483
// transitions: 4232
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
     run Fibonacci(n - 2, results);
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
