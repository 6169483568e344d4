// The bakery, as in bakery.pml.
// Planted: nobody waits for those who are still looking for a ticket. Of two with the same ticket, one goes
// in while it does not see the other, and the other because it has the lower number.
//
// verdict: violated assertion
// states: 5195
// transitions: 10248
#ifndef N
#define N 2
#endif
#ifndef TICKETS
#define TICKETS 4
#endif
#define BEFORE(a, b) (ticket[a] < ticket[b] || ticket[a] == ticket[b] && a < b)

byte ticket[N]; // 0: none
bool looking[N];
byte inside;

active [N] proctype Customer() {
  byte greatest, i;
  do
  :: looking[_pid] = true;
     greatest = 0;
     for (i : 0 .. N - 1) {
       greatest = (ticket[i] > greatest -> ticket[i] : greatest)
     }
     if
     :: greatest < TICKETS ->
        ticket[_pid] = greatest + 1;
        looking[_pid] = false;
        i = 0;
        do
        :: i < N ->
           (ticket[i] == 0 || i == _pid || BEFORE(_pid, i));
           i++
        :: else -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        ticket[_pid] = 0
     :: else ->
        looking[_pid] = false
     fi
  od
}
