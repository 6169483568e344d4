// Clients and a server over shared channels, with a trace that says in which order the server's doors are
// used: a session is opened, then there are questions, each followed by its answer, then it is closed. The
// trace moves with each receive from the one channel and each send to the other, and must be at its end when
// all is over.
//
// verdict: holds
// states: 1294
// transitions: 1471
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
  atomic { !taken -> taken = true }
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
