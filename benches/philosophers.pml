/* The table of models/philosophers.bir with forks as booleans: the same graph, for SPIN. */
#ifndef N
#define N 10
#endif

bool held[N];

proctype philosopher(byte left; byte right) {
	do
	:: d_step { !held[left] -> held[left] = true };
	   d_step { !held[right] -> held[right] = true };
	   held[right] = false;
	   held[left] = false
	od
}

init {
	byte i;
	atomic {
		i = 0;
		do
		:: i < N -> run philosopher(i, (i + 1) % N); i++
		:: else -> break
		od;
		i = 0
	}
}
