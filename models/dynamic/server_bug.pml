// The server of server.pml.
// Planted: the client deletes the channels as soon as it has hung up, when the handler may still receive.
//
// verdict: violated use-after-free
// states: 12711
// orbits: 848
chan listen = [1] of { chan, chan };

proctype Handler(chan requests; chan replies) {
  byte n;
  do
  :: requests?n ->
     if
     :: n == 0 -> break
     :: else -> replies!(n + 1)
     fi
  od
}

proctype Client() {
  chan ask; chan answer; byte got;
  ask = new chan(1) of { byte };
  answer = new chan(0) of { byte };
  listen!ask,answer;
  ask!1;
  answer?got;
  assert(got == 2);
  ask!0;
  delete ask;
  delete answer
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
