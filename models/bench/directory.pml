// Cache coherence by a directory, for one line in CACHES caches. Caches ask over one channel for the line, to
// share it or to modify it, and may drop what they share at any time. The directory serves one request after
// the other: it calls the line back from its owner, or has all that share it give it up, one by one, and then
// sends it. A cache that holds the line holds what was written last.
//
// verdict: holds
// states: 354023
// transitions: 1240727
#ifndef CACHES
#define CACHES 3
#endif
#define NOBODY CACHES

mtype = { nothing, shared, modified, data, downgrade, invalidate };

chan request = [CACHES] of { mtype, byte };
chan to[CACHES] = [2] of { mtype, bit };
chan answer = [1] of { bit };
bit latest; // what was written last; not part of the protocol

active [CACHES] proctype Cache() {
  mtype line = nothing, wanted = nothing;
  bit copy;
  do
  :: wanted == nothing && line == nothing ->
     wanted = shared;
     request!shared(_pid)
  :: wanted == nothing && line != modified ->
     wanted = modified;
     request!modified(_pid)
  :: d_step {
       wanted == nothing && line == shared ->
       line = nothing;
       copy = 0
     }
  :: d_step { line != nothing -> assert(copy == latest) }
  :: d_step {
       line == modified ->
       latest = 1 - latest;
       copy = latest
     }
  :: to[_pid]?data(copy) ->
     d_step {
       line = wanted;
       wanted = nothing
     }
  :: to[_pid]?downgrade(_) ->
     line = shared;
     answer!copy
  :: to[_pid]?invalidate(_) ->
     line = nothing;
     answer!copy;
     copy = 0
  od
}

active proctype Directory() {
  byte who, owner = NOBODY, i;
  mtype what = nothing;
  bit memory;
  bool shares[CACHES];
  do
  :: request?what(who) ->
     if
     :: owner != NOBODY ->
        to[owner]!(what == shared -> downgrade : invalidate), 0;
        answer?memory;
        d_step {
          shares[owner] = (what == shared);
          owner = NOBODY
        }
     :: else
     fi;
     if
     :: what == modified ->
        for (i : 0 .. CACHES - 1) {
          if
          :: shares[i] && i != who ->
             to[i]!invalidate(0);
             answer?_
          :: else
          fi;
          shares[i] = false
        }
        owner = who
     :: else -> shares[who] = true
     fi;
     to[who]!data(memory);
     d_step {
       who = 0;
       what = nothing;
       i = 0
     }
  od
}
