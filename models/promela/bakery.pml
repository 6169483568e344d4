// The bakery: mutual exclusion for N by tickets. A process looks at the tickets of all others, one by one,
// and takes a greater one; the least ticket goes in, and of equal ones that of the process with the lower
// number. While a process is still looking for a ticket, others wait to see which it gets. Tickets go up to
// TICKETS; whoever would need a greater one leaves and comes again.
//
// verdict: holds
// states: 4486
// transitions: 8614
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
           !looking[i];
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
