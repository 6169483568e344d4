// Clients, a server and a trace, as in sessions.pml.
// Planted: clients do not wait until the server is free, and two sessions are mixed.
//
// verdict: violated assertion, trace
// states: 47819
// transitions: 111844
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef QUESTIONS
#define QUESTIONS 2
#endif

mtype = { open, question, close, answer };

chan desk = [1] of { mtype, byte };
chan reply = [1] of { mtype, byte };
bool taken;

trace {
end:
  do
  :: desk?open, _;
     do
     :: desk?question, _; reply!answer, _
     :: desk?close, _; break
     od
  od
}

active [CLIENTS] proctype Client() {
  byte asked;
  taken = true;
  desk!open, _pid;
  do
  :: asked < QUESTIONS ->
     desk!question, _pid;
     reply?answer, eval(_pid);
     asked++
  :: break
  od;
  desk!close, _pid
}

active proctype Server() {
  byte who;
end:
  do
  :: desk?open, who
  :: desk?question, who -> reply!answer, who
  :: desk?close, who ->
     assert(taken);
     taken = false
  od
}
