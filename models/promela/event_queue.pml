// A simulation with a queue of events that is kept in the order of their times. A source schedules events of
// its own some time ahead and may call one off again, wherever in the queue it is; the clock always takes the
// first one, and must never go back.
//
// verdict: holds
// states: 3170
// transitions: 11026
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
       events!!now + delay, kind;
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
