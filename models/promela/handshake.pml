// Tickets are handed out in handshakes. A client asks whichever clerk is free and gets its ticket in a second
// handshake; both happen inside atomic sequences, so that control passes from one party to the other and
// back. The clerks share one counter. No ticket is handed out twice.
//
// verdict: holds
// states: 4848
// transitions: 9354
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
  :: atomic {
       ask?client ->
       ticket = next;
       next = ticket + 1
     }
     answer[client]!ticket
  od
}
