// Each client connects with two channels of its own. The server starts a handler for each connection, which answers
// until the client hangs up, and then deletes both channels.
//
// verdict: holds
// states: 7899
// orbits: 518
chan listen = [1] of { chan, chan };

proctype Handler(chan requests; chan replies) {
  byte n;
  do
  :: requests?n ->
     if
     :: n == 0 -> break
     :: else -> replies!(n + 1)
     fi
  od;
  delete requests;
  delete replies
}

proctype Client() {
  chan ask; chan answer; byte got;
  ask = new chan(1) of { byte };
  answer = new chan(0) of { byte };
  listen!ask,answer;
  ask!1;
  answer?got;
  assert(got == 2);
  ask!0
}

active proctype Server() {
  chan requests; chan replies;
end:
  do
  :: listen?requests,replies ->
     run Handler(requests, replies);
     requests = null;
     replies = null
  od
}

init { atomic { run Client(); run Client() } }
