// Tickets are handed out in handshakes, as in handshake.pml.
// Planted: the clerks read and write the counter in two steps that others can get between.
//
// verdict: violated assertion
// states: 17974
// transitions: 33414
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef CLERKS
#define CLERKS 2
#endif
#ifndef VISITS
#define VISITS 3
#endif

chan ask = [0] of { byte };
chan answer[CLIENTS] = [0] of { byte };
byte next;
bool given[CLIENTS * VISITS];

active [CLIENTS] proctype Client() {
  byte visits, ticket;
  do
  :: visits < VISITS ->
     atomic {
       ask!_pid;
       answer[_pid]?ticket;
       assert(!given[ticket]);
       given[ticket] = true
     }
     visits++
  :: else -> break
  od
}

active [CLERKS] proctype Clerk() {
  byte client, ticket;
end:
  do
  :: ask?client ->
     ticket = next;
     next = ticket + 1;
     answer[client]!ticket
  od
}
