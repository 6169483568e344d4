// A queue of events in the order of time, as in event_queue.pml.
// Planted: events are put at the end of the queue and not where they belong.
//
// verdict: violated assertion, deadlock
// states: 16817
// transitions: 46786
#ifndef PLACES
#define PLACES 3
#endif
#ifndef AHEAD
#define AHEAD 3
#endif
#ifndef END
#define END 6
#endif

mtype = { tick, alarm };

chan events = [PLACES] of { byte, mtype }; // time and kind
byte now;

active proctype Source() {
  byte delay;
  mtype kind = tick;
  do
  :: atomic {
       now < END && nfull(events) ->
       select (delay : 1 .. AHEAD);
       if
       :: kind = tick
       :: kind = alarm
       fi;
       events!now + delay, kind;
       delay = 0
     }
  :: atomic { events??[_, alarm] -> events??_, alarm } // called off
  :: now >= END -> break
  od
}

active proctype Clock() {
  byte time, next;
  mtype kind;
  do
  :: nempty(events) ->
     atomic {
       if
       :: events?<time, kind> ->
          events?eval(time), eval(kind);
          assert(time >= now);
          now = time;
          if
          :: events?<next, _> -> assert(next >= now)
          :: empty(events)
          fi
       :: empty(events) // all called off
       fi;
       time = 0;
       next = 0;
       kind = 0
     }
  :: now >= END && empty(events) -> break
  od
}
